import { type Client, type Profile, profileOfVersion } from '@/lib/xds/profile';
import type { ClientPeer, Prepared } from './peer';

const clients: Readonly<Record<string, Client>> = {
  envoy: 'envoy',
  'grpc-go': 'go',
  'c-core': 'core',
  'grpc-java': 'java',
  'grpc-js-xds': 'node',
};

/** The profile that applies to a version of a client. */
export function profileOfPeer({ name }: ClientPeer, { version }: Prepared): Profile {
  const client = clients[name];
  if (client === undefined) throw new Error(`expected a client with profiles, got ${name}`);
  return profileOfVersion(client, Number(version.split('.')[1])).profile;
}
