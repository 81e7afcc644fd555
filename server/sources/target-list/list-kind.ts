import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { SourceKind } from '@/lib/observation/source-kinds';
import type { StartOptions } from '../../collect/source-kind/option';
import type { PolledSetup, TargetListSetup } from '../../collect/source-kind/polled-targets';
import { defineSourceKind, type SourceKindValue } from '../../collect/source-kind/source-kind';
import type { Clock } from '../../observe';
import { decideDial } from '../../transport/targets/dial-policy';
import type { Target } from '../../transport/targets/target';
import { FileTargetFinder } from './file-target-finder';
import { type Found, type ListMembers, type TargetFinder, TargetList } from './target-list';

interface ListParts {
  /** Starts and ends the sources that a list finds. */
  readonly membersOf: (listId: string, setup: TargetListSetup) => ListMembers;
}

/** Lists of targets of a polled kind: each target that is found is a source of that kind. */
export function listKindOf<Options extends StartOptions, Setup extends PolledSetup, Parts>(
  member: SourceKindValue<Options, Setup, Parts, TargetListSetup<Setup>>,
) {
  const kind = `${member.kind}-list` as TargetListSetup<Setup>['kind'] & SourceKind;
  return defineSourceKind<TargetListSetup<Setup> & { readonly kind: SourceKind }, ListParts>()({
    kind,
    options: {},
    health: {
      connecting: 'has not found its targets yet',
      up: 'has found its targets',
      down: 'cannot find its targets',
      paused: 'is paused',
    },
    show: (setup) => member.show(setup.member),
    serversOf: ({ from }) => (from.kind === 'dns' ? [from.target.text] : []),
    nameServers: (setup) =>
      setup.from.kind === 'dns'
        ? { ...setup, from: { ...setup.from, target: { ...setup.from.target, isNamed: true } } }
        : setup,
    start({ setup }, { membersOf, sourceId, clock, onStatus }) {
      const { from } = setup;
      const finder =
        from.kind === 'file'
          ? new FileTargetFinder({ path: from.path, clock })
          : new DnsTargetFinder({ target: from.target, clock });
      return new TargetList({ finder, clock, onStatus, members: membersOf(sourceId, setup) });
    },
  });
}

interface DnsTargetFinderOptions {
  /** A host name and the port that all its addresses have. */
  readonly target: Target;
  readonly clock: Clock;
  readonly intervalMs?: number;
  /** All addresses of a name; the system's resolver by default (hosts file included). Rejects with the resolver's error. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const lookUpAll = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** One name, many addresses, as headless services have it: each address is a target. The name is resolved every interval. */
export class DnsTargetFinder implements TargetFinder {
  readonly #options: DnsTargetFinderOptions;
  readonly intervalMs: number;
  #timer: { cancel(): void } | undefined;
  #era = 0;

  constructor(options: DnsTargetFinderOptions) {
    this.#options = options;
    this.intervalMs = options.intervalMs ?? 5_000;
  }

  start(onFound: (found: Found) => void): void {
    const { clock, resolve = lookUpAll, target } = this.#options;
    const era = ++this.#era;
    let newest = '';
    const lookUpTargets = async (): Promise<void> => {
      const found = await resolve(target.host).then(
        (addresses) => targetsOf(target, addresses),
        (error: unknown) => failed(target, error),
      );
      if (era !== this.#era) return;
      const text = JSON.stringify(found);
      if (text !== newest) onFound(found);
      newest = text;
      this.#timer = clock.setTimeout(() => void lookUpTargets(), this.intervalMs);
    };
    void lookUpTargets();
  }

  stop(): void {
    this.#era++;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

/** Sorted, because name servers rotate the order of addresses. */
function targetsOf(target: Target, addresses: readonly string[]): Found {
  const { host, port } = target;
  const notes: string[] = [];
  const targets = [...new Set(addresses)].sort().flatMap((address) => {
    const decision = decideDial(target, address);
    if (!decision.isAllowed) {
      notes.push(`${host} at ${address} is left out: ${decision.rule}`);
      return [];
    }
    const text = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
    return [{ target: text, label: `${host} at ${address}` }];
  });
  return { kind: 'targets', targets, notes: addresses.length === 0 ? [`${host} has no address now`] : notes };
}

function failed({ host }: Target, error: unknown): Found {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  const message = `${host} could not be resolved: ${code}`;
  const hint = 'The addresses that were found before are still polled.';
  return { kind: 'failed', problem: { code: 'NAME_RESOLUTION', message, hint } };
}
