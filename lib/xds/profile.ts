export const clients = ['core', 'go', 'java', 'node', 'envoy'] as const;

export type Client = (typeof clients)[number];

interface ProfileInfo {
  readonly client: Client;
  /** The first and the last measured version: minor releases of version 1. */
  readonly measured: readonly [first: number, last: number];
}

/** A client and the range of its versions that react alike. The profiles of a client are in the order of versions. */
const known = {
  'core-1.51': { client: 'core', measured: [51, 51] },
  'core-1.53': { client: 'core', measured: [53, 54] },
  'core-1.55': { client: 'core', measured: [55, 55] },
  'core-1.56': { client: 'core', measured: [56, 67] },
  'core-1.68': { client: 'core', measured: [68, 72] },
  'core-1.73': { client: 'core', measured: [73, 73] },
  'core-1.74': { client: 'core', measured: [74, 78] },
  'core-1.80': { client: 'core', measured: [80, 80] },
  'core-1.85': { client: 'core', measured: [85, 85] },
  'go-1.64': { client: 'go', measured: [64, 70] },
  'go-1.72': { client: 'go', measured: [72, 72] },
  'go-1.73': { client: 'go', measured: [73, 74] },
  'go-1.75': { client: 'go', measured: [75, 79] },
  'go-1.80': { client: 'go', measured: [80, 80] },
  'go-1.82': { client: 'go', measured: [82, 82] },
  'go-1.85': { client: 'go', measured: [85, 85] },
  'java-1.60': { client: 'java', measured: [60, 60] },
  'java-1.76': { client: 'java', measured: [76, 76] },
  'java-1.85': { client: 'java', measured: [85, 85] },
  'node-1.14': { client: 'node', measured: [14, 14] },
  'envoy-1.36': { client: 'envoy', measured: [36, 36] },
  'envoy-1.37': { client: 'envoy', measured: [37, 37] },
  'envoy-1.38': { client: 'envoy', measured: [38, 38] },
  'envoy-1.39': { client: 'envoy', measured: [39, 39] },
  'envoy-1.40': { client: 'envoy', measured: [40, 40] },
} as const satisfies Readonly<Record<string, ProfileInfo>>;

export type Profile = keyof typeof known;

function isProfile(id: string): id is Profile {
  return Object.hasOwn(known, id);
}

export const profiles: readonly Profile[] = Object.keys(known).filter(isProfile);

export function clientOf(profile: Profile): Client {
  return known[profile].client;
}

export const clientNames: Readonly<Record<Client, string>> = {
  core: 'C-core',
  go: 'Go',
  java: 'Java',
  node: 'Node',
  envoy: 'Envoy',
};

/** As in "Go 1.64 to 1.70". */
export function nameOf(profile: Profile): string {
  const { client, measured } = known[profile];
  const [first, last] = measured;
  return `${clientNames[client]} 1.${first}${first === last ? '' : ` to 1.${last}`}`;
}

/** The newest release that has the profile, as in "1.40". */
export function releaseOf(profile: Profile): string {
  return `1.${known[profile].measured[1]}`;
}

/** A client stands for all of its profiles. */
export type Who = Client | Profile;

export function profilesOf(...who: readonly Who[]): Profile[] {
  return profiles.filter((profile) => who.includes(profile) || who.includes(clientOf(profile)));
}

export function profileSet(...who: readonly Who[]): Set<Profile> {
  return new Set(profilesOf(...who));
}

/** The profile and the newer ones of its client. */
export function since(profile: Profile): Profile[] {
  const all = profilesOf(clientOf(profile));
  return all.slice(all.indexOf(profile));
}

/** The older profiles of the client. */
export function before(profile: Profile): Profile[] {
  const all = profilesOf(clientOf(profile));
  return all.slice(0, all.indexOf(profile));
}

/** The profiles of `who` that are also in `others`. */
export function within(others: readonly Who[], ...who: readonly Who[]): Profile[] {
  const among = profileSet(...others);
  return profilesOf(...who).filter((profile) => among.has(profile));
}

export function newestOf(client: Client): Profile {
  return profilesOf(client).at(-1) ?? 'go-1.85';
}

/** Returns the profile of a client; without a version, its newest one. */
export function profileOfWho(who: Who): Profile {
  return isProfile(who) ? who : newestOf(who);
}

/**
 * The profile of a version of a client: between two measured versions, the lower one. `isEarlier`: the version is earlier than
 * every measured one.
 */
export function profileOfVersion(
  client: Client,
  minor: number,
): { readonly profile: Profile; readonly isMeasured: boolean; readonly isEarlier: boolean } {
  const all = profilesOf(client);
  const profile = all.findLast((each) => known[each].measured[0] <= minor) ?? all[0] ?? newestOf(client);
  const [first, last] = known[profile].measured;
  return { profile, isMeasured: first <= minor && minor <= last, isEarlier: minor < first };
}

/** The measured versions of a client, as in "1.36 to 1.40". */
export function measuredRange(client: Client): string {
  const measured = profilesOf(client).map((profile) => known[profile].measured);
  const [first, last] = [measured[0]?.[0] ?? 0, measured.at(-1)?.[1] ?? 0];
  return first === last ? `1.${first}` : `1.${first} to 1.${last}`;
}

export const grpcClients = ['core', 'go', 'java', 'node'] as const satisfies readonly Client[];
export type GrpcClient = (typeof grpcClients)[number];
export const grpcProfiles = profilesOf(...grpcClients);

export function mapProfiles<T>(of: (profile: Profile) => T): Record<Profile, T> {
  return {
    'core-1.51': of('core-1.51'),
    'core-1.53': of('core-1.53'),
    'core-1.55': of('core-1.55'),
    'core-1.56': of('core-1.56'),
    'core-1.68': of('core-1.68'),
    'core-1.73': of('core-1.73'),
    'core-1.74': of('core-1.74'),
    'core-1.80': of('core-1.80'),
    'core-1.85': of('core-1.85'),
    'go-1.64': of('go-1.64'),
    'go-1.72': of('go-1.72'),
    'go-1.73': of('go-1.73'),
    'go-1.75': of('go-1.75'),
    'go-1.80': of('go-1.80'),
    'go-1.82': of('go-1.82'),
    'go-1.85': of('go-1.85'),
    'java-1.60': of('java-1.60'),
    'java-1.76': of('java-1.76'),
    'java-1.85': of('java-1.85'),
    'node-1.14': of('node-1.14'),
    'envoy-1.36': of('envoy-1.36'),
    'envoy-1.37': of('envoy-1.37'),
    'envoy-1.38': of('envoy-1.38'),
    'envoy-1.39': of('envoy-1.39'),
    'envoy-1.40': of('envoy-1.40'),
  };
}
