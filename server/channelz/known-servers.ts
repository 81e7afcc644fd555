import { addressOfServer } from '@/lib/observation/failing-server';
import { isLoopback } from '../targets/is-loopback';

const mostLearned = 1_000;

/**
 * The addresses of management servers: those of the probes and taps of xdscope, and those to which the channels of processes lead
 * that have one. Shared by the pollers of a thread.
 */
export class KnownServers {
  #named: ReadonlySet<string> = new Set();
  readonly #learned = new Set<string>();

  /** Replaces those of probes and taps. */
  setNamed(addresses: readonly string[]): void {
    this.#named = new Set(addresses.map(normalize));
  }

  /** `isLocal`: the process runs on this machine, whose loopback addresses are those of xdscope. */
  has(target: string, isLocal: boolean): boolean {
    const address = normalize(target);
    return isComparable(address, isLocal) && (this.#named.has(address) || this.#learned.has(address));
  }

  learn(target: string, isLocal: boolean): void {
    const address = normalize(target);
    if (isComparable(address, isLocal) && this.#learned.size < mostLearned) this.#learned.add(address);
  }
}

/** Returns true if the address means one server, whatever machine the process runs on. */
function isComparable(address: string, isLocal: boolean): boolean {
  return isLocal || !isLocalAddress(address);
}

/** Returns true for an address of the loopback interface. */
export function isLocalAddress(address: string): boolean {
  return isLoopback(
    normalize(address)
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );
}

function normalize(target: string): string {
  const address = addressOfServer({ target }).replace(/^ipv[46]:\/*/i, '');
  return address.replace(/^(?:localhost|\[::1\])(?=:\d+$)/i, '127.0.0.1');
}
