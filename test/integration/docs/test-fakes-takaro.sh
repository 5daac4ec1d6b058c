# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of test/fakes/takaro/README.md.

# after
curl -sX DELETE $TAKARO/__control/faults
