import { ConfigError } from '../../config-error';
import { type ClientProgram, labTwinClient, ownProgram } from '../interop-runs/client-program';
import { findClientPrograms } from '../interop-runs/find-client-programs';

/** The name by which a request selects the Envoy of this machine. */
export const envoyName = 'Envoy';

/**
 * The gRPC clients that can have the config of another one, each with a name of its own: that of the lab, the newest version of
 * those that `npm run test:peers` has built, and those of the config file. Such a program reads `TwinRpcs` as a line of JSON from its
 * standard input, sends the RPCs one after the other, and writes an `RpcResult` as a line of JSON for each; it gets its bootstrap
 * from GRPC_XDS_BOOTSTRAP_CONFIG. Throws a ConfigError if the config file has a name twice or that of an Envoy.
 */
export async function findTwinClients(
  own: readonly ClientProgram[],
  cacheDir?: string,
): Promise<readonly ClientProgram[]> {
  const ownNames = own.map(({ name }) => name);
  const twice = ownNames.find((name, at) => name === envoyName || ownNames.indexOf(name) !== at);
  if (twice !== undefined)
    throw new ConfigError(
      `twinClients: expected names that differ from each other and from "${envoyName}", got ${JSON.stringify(twice)}`,
    );
  const found = (await findClientPrograms(cacheDir))
    .filter(({ isTwin }) => isTwin)
    .map((program) => ({ ...program, command: [...program.command, '--twin'] }));
  const byName = new Map<string, ClientProgram>();
  // The newest version of each comes first.
  for (const program of [...own.map((each) => ownProgram(each)), labTwinClient(), ...found])
    if (!byName.has(program.name)) byName.set(program.name, program);
  return [...byName.values()];
}
