import type { ResourceChanges, ResourceState } from '@/lib/observation/resource-state';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import { type ServerLink, serverKeyOf } from '../stream/server-link';
import type { AuthorityType } from './authority-type';
import type { ResponseUpdate } from './response-update';

export interface ServerSwitch {
  readonly authority: string | null;
  readonly from: string;
  readonly to: string;
  readonly direction: 'fallback' | 'return';
  readonly reason: string;
}

interface AuthorityOptions {
  /** Null for the authority of old-style names. */
  readonly name: string | null;
  /** The order is that of preference. */
  readonly servers: readonly ServerConfig[];
  readonly fallbackOnReachabilityOnly: boolean;
  readonly createType: (authority: Authority, typeUrl: string) => AuthorityType;
  /** Returns the link to a server, which is shared by all authorities that use the server. */
  readonly linkTo: (server: ServerConfig) => ServerLink;
  /** Starts the link and subscribes to all resources that are wanted on it. */
  readonly onUsed: (link: ServerLink) => void;
  readonly onReleased: (link: ServerLink) => void;
  readonly onSwitched: (change: ServerSwitch) => void;
  readonly onAllFailed: (reason: string, changed: readonly ResourceState[]) => void;
  readonly now: () => number;
}

/** One authority (gRFC A47) with its resource types and the servers in use (gRFC A71). */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly name: string | null;
  readonly #types = new Map<string, AuthorityType>();
  /** The most preferred server and its fallbacks in use. The last one is active. */
  readonly #used: ServerLink[] = [];
  #haveAllFailed = false;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    this.name = options.name;
  }

  /** The server whose resources are used, or undefined while no resource is wanted. */
  get active(): ServerLink | undefined {
    return this.#used.at(-1);
  }

  /** gRFC A71: states whether the active server is not the most preferred one. */
  get isFallenBack(): boolean {
    return this.#used.length > 1;
  }

  get haveAllFailed(): boolean {
    return this.#haveAllFailed;
  }

  get types(): ReadonlyMap<string, AuthorityType> {
    return this.#types;
  }

  uses(link: ServerLink): boolean {
    return this.#used.includes(link);
  }

  findType(typeUrl: string): AuthorityType | undefined {
    return this.#types.get(typeUrl);
  }

  typeOf(typeUrl: string): AuthorityType {
    const known = this.#types.get(typeUrl);
    if (known !== undefined) return known;
    const type = this.#options.createType(this, typeUrl);
    this.#types.set(typeUrl, type);
    return type;
  }

  connect(): void {
    const [first] = this.#options.servers;
    if (this.#used.length === 0 && first !== undefined) {
      for (const type of this.#types.values()) type.start();
      this.#use(first);
    }
    this.fallBackIfNeeded();
  }

  /** The next connect() begins with the most preferred server. */
  disconnect(): void {
    for (const type of this.#types.values()) type.stop();
    for (const link of this.#used.splice(0).reverse()) this.#options.onReleased(link);
    this.#haveAllFailed = false;
  }

  /** gRFC A71: a server whose answer contains a resource replaces the servers below it. */
  onAnswer(link: ServerLink, hasResource: boolean): readonly ResourceState[] {
    const index = this.#used.indexOf(link);
    if (index < 0) return [];
    if (hasResource && index < this.#used.length - 1) this.#returnTo(index);
    if (!this.#haveAllFailed) return [];
    this.#haveAllFailed = false;
    return [...this.#types.values()].flatMap(({ cache }) => cache.clearUnreachable(this.#options.now()));
  }

  apply(typeUrl: string, news: ResponseUpdate): ResourceChanges | undefined {
    return this.#types.get(typeUrl)?.apply(news);
  }

  /** Must be called after a stream has failed and after subscriptions have changed. */
  fallBackIfNeeded(): void {
    for (let last = this.active; last?.isFailing === true; last = this.active) {
      const next = this.#options.servers[this.#used.length];
      if (next === undefined) {
        this.#failAll(last);
        return;
      }
      if (!this.#options.fallbackOnReachabilityOnly && !this.#hasUnknown()) return;
      this.#fallBackTo(next, last);
    }
  }

  /** gRFC A57: must be called when the type is requested on a connected stream. */
  startTimers(typeUrl: string): void {
    this.#types.get(typeUrl)?.startTimers();
  }

  /** Null stops the timers of all types. */
  stopTimers(typeUrl: string | null): void {
    for (const [each, type] of this.#types) if (typeUrl === null || typeUrl === each) type.stopTimers();
  }

  #use(server: ServerConfig): ServerLink {
    const link = this.#options.linkTo(server);
    this.#used.push(link);
    this.#options.onUsed(link);
    return link;
  }

  #hasUnknown(): boolean {
    return [...this.#types.values()].some((type) => type.hasUnknown);
  }

  #fallBackTo(server: ServerConfig, failed: ServerLink): void {
    this.stopTimers(null);
    const link = this.#use(server);
    const what = this.#options.fallbackOnReachabilityOnly ? '' : ', and a wanted resource is unknown';
    this.#options.onSwitched({
      authority: this.name,
      from: failed.name,
      to: link.name,
      direction: 'fallback',
      reason: `${reasonOf(failed)}${what}`,
    });
    for (const [typeUrl, type] of this.#types) if (link.isOpenFor(typeUrl)) type.startTimers();
  }

  #returnTo(index: number): void {
    const from = this.active;
    const lower = this.#used.splice(index + 1);
    for (const link of lower.reverse()) this.#options.onReleased(link);
    const to = this.active;
    if (from === undefined || to === undefined) return;
    this.#options.onSwitched({
      authority: this.name,
      from: from.name,
      to: to.name,
      direction: 'return',
      reason: `${to.name} sends resources again`,
    });
    for (const [typeUrl, type] of this.#types) {
      type.stopTimers();
      if (to.isOpenFor(typeUrl)) type.startTimers();
    }
  }

  /** gRFC A71: watchers receive a connectivity error only when every server has failed. */
  #failAll(last: ServerLink): void {
    if (this.#haveAllFailed || !this.#used.every(({ isFailing }) => isFailing)) return;
    this.#haveAllFailed = true;
    const reason = reasonOf(last);
    const changed = [...this.#types.values()].flatMap(({ cache }) =>
      cache.markUnreachable(reason, this.#options.now(), last.policy),
    );
    this.#options.onAllFailed(reason, changed);
  }
}

function reasonOf({ name, failure }: ServerLink): string {
  const details = failure?.details ?? '';
  return `${name} cannot be reached (${failure?.code ?? 'no connection'}${details === '' ? '' : `: ${details}`})`;
}

/** Removes duplicate servers, so that the fallback is never the server that failed. */
export function distinctServers(servers: readonly ServerConfig[]): ServerConfig[] {
  return [...new Map(servers.map((server) => [serverKeyOf(server), server])).values()];
}
