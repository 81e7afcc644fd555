import { type LookupAddress, lookup as lookupByDns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Problem } from '@/lib/observation/observation';
import { type DialDecision, decideDial } from './dial-policy';
import type { Target } from './target';

/** Looks up all addresses of a name. */
export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface DialOptions {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
}

/** The system's resolver, including the hosts file. */
const resolveBySystem: Resolve = (host, callback) => lookupByDns(host, { all: true }, callback);

/**
 * Options for net.connect(), tls.connect() and http.request(). `lookup` returns only the addresses that the dial policy
 * allows at the time of each connection. Throws a DialRejectedError if the host is a rejected address; a connection to a
 * name without any allowed address fails with that error.
 */
export function dialOptions(target: Target, resolve: Resolve = resolveBySystem): DialOptions {
  const { host, port } = target;
  // Node does not call `lookup` for a host that is an address.
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

/** Returns the allowed addresses, or an error if there is none. */
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

/** The number of addresses in a message. */
const maxShown = 3;

/** The dial policy rejects every address of a target. findDialRejection() recognizes the message in the details of a call. */
export class DialRejectedError extends Error {
  override readonly name = 'DialRejectedError';

  /** `rule` and `entry` are those of the first address, see DialDecision. */
  constructor(
    { host, text }: Target,
    addresses: readonly string[],
    { rule, entry }: { readonly rule: string; readonly entry: string },
  ) {
    const shown = addresses.slice(0, maxShown).join(', ');
    const more = addresses.length > maxShown ? ` and ${addresses.length - maxShown} more` : '';
    const from = addresses.includes(host) ? '' : ' from the resolver';
    super(
      `${text}: expected an address that may be dialled, got ${shown}${more}${from}: ${rule}. ` +
        `To allow it, start xdscope with --allow-target ${entry}, or list it in allowTargets of the config file.`,
    );
  }
}

/** Returns undefined if the call failed for another reason. */
export function findDialRejection(details: string): Problem | undefined {
  const found = /^(.*: expected an address that may be dialled, got .*)\. (To allow it, .*)$/.exec(details);
  if (found === null) return undefined;
  const [, message = '', hint = ''] = found;
  return { code: 'TARGET_NOT_ALLOWED', message, hint };
}
