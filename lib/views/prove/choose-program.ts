import { type Client, clientOf, type Profile } from '../../xds/profile';

/** The names of the programs that xdscope finds at its start, by the client that they run. */
const programs: Readonly<Record<Client, string>> = {
  envoy: 'Envoy',
  core: 'c-core',
  go: 'grpc-go',
  java: 'grpc-java',
  node: 'grpc-js',
};

/** The program that does what the profile states; the gRPC client of xdscope, which is always there, if that is not registered. */
export function chooseProgram(profile: Profile, registered: readonly { readonly name: string }[]): string {
  const own = programs[clientOf(profile)];
  return own === programs.envoy || registered.some(({ name }) => name === own) ? own : programs.node;
}

/** False if the program may do something else with a config than the client of the profile, as far as the names show it. */
export function isProgramOf(name: string, profile: Profile): boolean {
  return name === programs[clientOf(profile)];
}
