// SPDX-License-Identifier: Apache-2.0

// A whole flow with the official npm client against a Takaro, real or stand-in: TAKARO_HOST, ADMIN_CLIENT_SECRET.
import assert from 'node:assert/strict';
import { AdminClient, Client } from '@takaro/apiclient';

const url = process.env.TAKARO_HOST;
const secret = process.env.ADMIN_CLIENT_SECRET;
assert.ok(url && secret, 'set TAKARO_HOST and ADMIN_CLIENT_SECRET');
const unique = Date.now();
const password = 'a-long-password-1';

/** Wants the call to fail with this HTTP status. */
async function refused(status, call) {
  await assert.rejects(call, (e) => e.response?.status === status, `expected a ${status}`);
}

const admin = new AdminClient({ url, auth: { clientSecret: secret }, log: false });
await admin.waitUntilHealthy(10000);

const reference = `flow-${unique}`;
const made = (await admin.domain.domainControllerCreate({ name: 'flow', externalReference: reference, maxUsers: 5 })).data.data;
const id = made.createdDomain.id;
try {
  await refused(409, admin.domain.domainControllerCreate({ name: 'flow', externalReference: reference }));
  const found = (await admin.domain.domainControllerSearch({ filters: { externalReference: [reference] } })).data;
  assert.equal(found.meta.total, 1);
  assert.equal(found.data[0].id, id);
  const resolved = (await admin.domain.domainControllerResolveRegistrationToken({ registrationToken: made.createdDomain.serverRegistrationToken })).data.data;
  assert.equal(resolved.id, id);

  const token = (await admin.domain.domainControllerGetToken({ domainId: id })).data.data.token;
  const client = new Client({ url, auth: { token }, log: false });
  const email = `user1-${unique}@example.com`;
  const user = (await client.user.userControllerCreate({ name: 'user1', email, password, isDashboardUser: true })).data.data;
  const same = (await client.user.userControllerCreate({ name: 'other', email: email.toUpperCase(), password: 'another-password', isDashboardUser: true })).data.data;
  assert.equal(same.id, user.id);
  const role = (await client.role.roleControllerSearch({ filters: { name: ['Admin'] } })).data.data[0];
  await client.user.userControllerAssignRole(user.id, role.id);
  await refused(409, client.user.userControllerAssignRole(user.id, role.id));
  const again = (await client.user.userControllerGetOne(user.id)).data.data;
  assert.ok(again.roles.some((r) => r.roleId === role.id), 'role not assigned');

  const session = new Client({ url, auth: { username: user.email, password }, log: false });
  await session.login();
  console.log('me', (await session.user.userControllerMe()).data.data.user.email);
  const root = new Client({ url, auth: { username: made.rootUser.email, password: made.password }, log: false });
  await root.login();
  assert.equal((await root.user.userControllerMe()).data.data.domain, id);

  await admin.domain.domainControllerUpdate(id, { state: 'MAINTENANCE' });
  await refused(400, client.role.roleControllerSearch());
  await refused(400, client.gameserver.gameServerControllerSearch());
} finally {
  await admin.domain.domainControllerRemove(id);
}
const left = (await admin.domain.domainControllerGetOne(id)).data.data;
console.log('state after remove', left.state);
assert.equal(left.state, 'DISABLED');
console.log('OK');
