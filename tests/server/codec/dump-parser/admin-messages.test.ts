import { expect, it } from 'vitest';
import { adminMessages } from '@/server/codec/dump-parser/admin-messages';

it.each([
  [['version', 'state', 'commandLineOptions'], '', '/server_info'],
  [[], 'type.googleapis.com/envoy.admin.v3.ServerInfo', '/server_info'],
  [['certificates'], '', '/certs'],
  [['certificates', 'name'], '', undefined],
  [['unreadyTargetsDumps'], '', '/init_dump'],
  [['state'], '', undefined],
])('an object with the members %j and the type %j is %s', (members, type, kind) => {
  expect(adminMessages.find(({ has }) => has(new Set(members), type))?.kind).toBe(kind);
});
