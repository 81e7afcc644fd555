import type { ResourceChanges, ResourceState } from '@/lib/observation/observation';
import type { ServerConfig } from '../stream/server-config';
import { type ServerLink, serverKeyOf } from '../stream/server-link';
import type { AuthorityType } from './authority-type';
import type { ServerNews } from './server-news';

/** gRFC A71: which server an authority has its resources from, and why no longer the one before. */
export interface ServerSwitch {
  readonly authority: string | null;
  readonly from: string;
  readonly to: string;
  readonly direction: 'fallback' | 'return';
  readonly reason: string;
}

export interface AuthorityOptions {
  /** null: that of old-style names. */
  readonly name: string | null;
  /** In the order of preference. */
  readonly servers: readonly ServerConfig[];
  readonly fallbackOnReachabilityOnly: boolean;
  readonly createType: (authority: Authority, typeUrl: string) => AuthorityType;
  /** The link to a server, shared with the other authorities that have it. */
  readonly linkTo: (server: ServerConfig) => ServerLink;
  /** It is to be started, and asked for all that is wanted here. */
  readonly onUsed: (link: ServerLink) => void;
  /** This authority needs it no more. */
  readonly onReleased: (link: ServerLink) => void;
  readonly onSwitched: (change: ServerSwitch) => void;
  readonly onServersLost: (reason: string, changed: readonly ResourceState[]) => void;
  readonly now: () => number;
}

/** One authority (gRFC A47): what is wanted and held of it, and which of its servers it is had from (gRFC A71). */
export class Authority {
  readonly name: string | null;
  readonly #types = new Map<string, AuthorityType>();
  /** The most preferred server and those below it that had to be asked too; the last one is active. */
  readonly #used: ServerLink[] = [];
  #isLost = false;

  constructor(private readonly options: AuthorityOptions) {
    this.name = options.name;
  }

  /** From which the resources come; undefined while nothing is wanted. */
  get active(): ServerLink | undefined {
    return this.#used.at(-1);
  }

  /** gRFC A71: not the most preferred one. */
  get isFallenBack(): boolean {
    return this.#used.length > 1;
  }

  /** gRFC A71: every server has failed. */
  get isLost(): boolean {
    return this.#isLost;
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
    const type = this.options.createType(this, typeUrl);
    this.#types.set(typeUrl, type);
    return type;
  }

  connect(): void {
    const [first] = this.options.servers;
    if (this.#used.length === 0 && first !== undefined) {
      for (const type of this.#types.values()) type.start();
      this.#use(first);
    }
    this.fallBackIfNeeded();
  }

  /** Nothing is wanted, or the client stops. The next connect() begins with the most preferred server. */
  disconnect(): void {
    for (const type of this.#types.values()) type.stop();
    for (const link of this.#used.splice(0).reverse()) this.options.onReleased(link);
    this.#isLost = false;
  }

  /** A server had an answer. gRFC A71: with a resource in it, it is preferred to those below. */
  onAnswer(link: ServerLink, hasResource: boolean): readonly ResourceState[] {
    const index = this.#used.indexOf(link);
    if (index < 0) return [];
    if (hasResource && index < this.#used.length - 1) this.#returnTo(index);
    if (!this.#isLost) return [];
    this.#isLost = false;
    return [...this.#types.values()].flatMap(({ cache }) => cache.regainServers(this.options.now()));
  }

  apply(typeUrl: string, news: ServerNews): ResourceChanges | undefined {
    return this.#types.get(typeUrl)?.apply(news);
  }

  /** After a stream that failed, and after something new is wanted. */
  fallBackIfNeeded(): void {
    for (let last = this.active; last?.isFailing === true; last = this.active) {
      const next = this.options.servers[this.#used.length];
      if (next === undefined) {
        this.#loseServers(last);
        return;
      }
      if (!this.options.fallbackOnReachabilityOnly && !this.#lacksSomething()) return;
      this.#fallBackTo(next, last);
    }
  }

  /** gRFC A57: on a stream that is connected. A type that no source reported is every type. */
  startTimers(typeUrl: string): void {
    this.#types.get(typeUrl)?.startTimers();
  }

  stopTimers(typeUrl: string | null): void {
    for (const [each, type] of this.#types) if (typeUrl === null || typeUrl === each) type.stopTimers();
  }

  #use(server: ServerConfig): ServerLink {
    const link = this.options.linkTo(server);
    this.#used.push(link);
    this.options.onUsed(link);
    return link;
  }

  #lacksSomething(): boolean {
    return [...this.#types.values()].some((type) => type.lacksSomething);
  }

  #fallBackTo(server: ServerConfig, failed: ServerLink): void {
    this.stopTimers(null);
    const link = this.#use(server);
    const what = this.options.fallbackOnReachabilityOnly ? '' : ', and not all that is wanted is known';
    this.options.onSwitched({
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
    for (const link of lower.reverse()) this.options.onReleased(link);
    const to = this.active;
    if (from === undefined || to === undefined) return;
    this.options.onSwitched({
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

  /** gRFC A71: watchers hear of lost connectivity only when every server has failed. */
  #loseServers(last: ServerLink): void {
    if (this.#isLost || !this.#used.every(({ isFailing }) => isFailing)) return;
    this.#isLost = true;
    const reason = reasonOf(last);
    const changed = [...this.#types.values()].flatMap(({ cache }) =>
      cache.loseServers(reason, this.options.now(), last.policy),
    );
    this.options.onServersLost(reason, changed);
  }
}

function reasonOf({ name, failure }: ServerLink): string {
  const details = failure?.details ?? '';
  return `${name} cannot be reached (${failure?.code ?? 'no connection'}${details === '' ? '' : `: ${details}`})`;
}

/** Servers that are one and the same count once: nobody falls back to the server that failed. */
export function distinctServers(servers: readonly ServerConfig[]): ServerConfig[] {
  return [...new Map(servers.map((server) => [serverKeyOf(server), server])).values()];
}
