import { type LookupAddress, lookup as lookupByDns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type DialDecision, decideDial } from './dial-policy';
import { DialRejectedError } from './dial-rejected-error';
import type { Target } from './target';

/** All addresses of a name. */
export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface DialOptions {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
}

/** The system's resolver, hosts file included. */
const resolveBySystem: Resolve = (host, callback) => lookupByDns(host, { all: true }, callback);

/**
 * For net.connect(), tls.connect() and http.request(): they dial only addresses that the dial policy has allowed, since
 * they get them from `lookup`, which checks each one anew with each connection. Throws a DialRejectedError where the host
 * is an address that is rejected; of a name none of whose addresses is allowed the connection fails with that error.
 */
export function dialOptions(target: Target, resolve: Resolve = resolveBySystem): DialOptions {
  const { host, port } = target;
  // Of a host that is an address Node looks nothing up.
  const checked = isIP(host) === 0 ? [] : checkAddresses(target, [{ address: host, family: isIP(host) }]);
  if (checked instanceof Error) throw checked;
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    resolve(host, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const found = checkAddresses(target, addresses);
      if (found instanceof Error) return callback(found, '');
      const [{ address, family }] = found;
      return all ? callback(null, found) : callback(null, address, family);
    });
  };
  return { host, port, lookup };
}

/** Those that are allowed, at least one. */
function checkAddresses(
  target: Target,
  addresses: readonly LookupAddress[],
): [LookupAddress, ...LookupAddress[]] | Error {
  const rejections = new Map<string, Extract<DialDecision, { isAllowed: false }>>();
  const [first, ...others] = addresses.filter(({ address }) => {
    const decision = decideDial(target, address);
    if (!decision.isAllowed) rejections.set(address, decision);
    return decision.isAllowed;
  });
  if (first !== undefined) return [first, ...others];
  const [rejection] = rejections.values();
  if (rejection === undefined) return new Error(`ENOTFOUND: ${target.host} has no address`);
  return new DialRejectedError(target, [...rejections.keys()], rejection);
}
