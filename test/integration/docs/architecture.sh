# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/architecture.md.

# after
curl -sX DELETE $TAKARO/__control/faults
