import type { Connection } from '../observation/connection';
import { addressOfServer } from '../observation/failing-server';
import type { IssueCause, IssueRecord } from './issue-record';
import { issueKey, possibleServer } from './read-issue-causes';

const mostLearned = 1_000;
const loopback = /^(?:localhost|127\.[\d.]+|\[::1\]):\d+$/i;
const isIp = /^(?:[\d.]+|\[[\da-f:.]+\]):\d+$/i;

/**
 * The names of management servers. Sources report one server under several: a gRPC client by its target, an Envoy by the addresses
 * of its hosts, a tap as it was configured. Names and addresses to which the subchannels of one channel led are those of one server.
 */
export class ServerNames {
  readonly #idOf: (key: string) => string;
  /** All names of a server by each of them. */
  readonly #byName = new Map<string, ReadonlySet<string>>();

  constructor(idOf: (key: string) => string) {
    this.#idOf = idOf;
  }

  /** Learns from the channels and subchannels of one process. */
  learn(connections: readonly Connection[]): void {
    for (const channel of connections) {
      if (channel.isManagementServer !== true || channel.kind !== 'channel') continue;
      const name = addressOfServer(channel);
      for (const { kind, channels, target } of connections)
        if (kind === 'subchannel' && channels.includes(channel.id)) this.#join(name, normalize(target));
    }
  }

  /** Returns the same name for all names of one server: a host name rather than an address. */
  find(name: string): string {
    const found = new Set(name.split(', ').map((each) => this.#findOne(normalize(each))));
    const [first, ...others] = found;
    return first === undefined || others.length > 0 ? name : first;
  }

  /** The issue under the name of the server that all sources have in common. */
  rename<Cause extends IssueCause>(record: IssueRecord<Cause>): IssueRecord<Cause> {
    const { kind, rule, name } = record.cause;
    const found = kind !== 'unreachable' || rule === possibleServer ? name : this.find(name);
    if (found === name) return record;
    const cause = { ...record.cause, name: found };
    return { ...record, id: this.#idOf(issueKey(cause)), cause };
  }

  /** The id of the issue that this server is unreachable. */
  idOfUnreachable(name: string): string {
    const cause = { kind: 'unreachable', side: 'client', typeUrl: '', text: '' } as const;
    return this.#idOf(issueKey({ ...cause, name: this.find(name) }));
  }

  #findOne(name: string): string {
    const [first = name] = [...(this.#byName.get(name) ?? [])].sort(compareNames);
    return first;
  }

  #join(a: string, b: string): void {
    // An address of the loopback interface is that of another server on each machine.
    if (a === b || loopback.test(a) !== loopback.test(b) || this.#byName.size >= mostLearned) return;
    const [ofA, ofB] = [this.#byName.get(a), this.#byName.get(b)];
    if (ofA !== undefined && ofA === ofB) return;
    const all = new Set([...(ofA ?? [a]), ...(ofB ?? [b])]);
    for (const name of all) this.#byName.set(name, all);
  }
}

function normalize(target: string): string {
  return addressOfServer({ target }).replace(/^ipv[46]:\/*/i, '');
}

function compareNames(a: string, b: string): number {
  return Number(isIp.test(a)) - Number(isIp.test(b)) || (a < b ? -1 : 1);
}
