const admin = 'type.googleapis.com/envoy.admin.v3.';

/** Messages of Envoy's admin interface without resources. Each becomes a row of its own type. */
export const adminMessages: readonly {
  readonly kind: string;
  readonly name: string;
  readonly typeUrl: string;
  readonly has: (keys: ReadonlySet<string>, type: string) => boolean;
}[] = [
  {
    kind: '/server_info',
    name: 'server_info',
    typeUrl: `${admin}ServerInfo`,
    has: (keys, type) => /\.ServerInfo$/.test(type) || (keys.has('commandLineOptions') && keys.has('state')),
  },
  {
    kind: '/certs',
    name: 'certs',
    typeUrl: `${admin}Certificates`,
    has: (keys, type) => /\.Certificates$/.test(type) || (keys.has('certificates') && keys.size === 1),
  },
  {
    kind: '/init_dump',
    name: 'init_dump',
    typeUrl: `${admin}UnreadyTargetsDumps`,
    has: (keys, type) => /\.UnreadyTargetsDumps$/.test(type) || keys.has('unreadyTargetsDumps'),
  },
];
