import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/observation';
import { normaliseResourceName, parseResourceNameOf } from '@/lib/xds/resource-name';
import { CDS, compareTypeUrls, EDS, LDS } from '@/lib/xds/resource-type';
import { formatStatusCode } from '@/lib/xds/status-code';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import { Authority, distinctServers, type ServerSwitch } from './authority';
import { AuthorityType } from './authority-type';
import { errorPolicyOf } from './error-policy';
import { InterestGraph } from './interest-graph';
import { createJudge, type Judge, movesVersionOnNack } from './judge';
import { PendingChanges } from './pending-changes';
import type { ProbeSettings } from './probe-settings';
import { type ReadResponse, readResources } from './read-resources';
import { ResourceCache, type ServerNews } from './resource-cache';
import type { ResourceCodec } from './resource-codec';
import type { ResponseEnvelope } from './response-envelope';
import type { ServerConfig } from './server-config';
import { type CreateChannel, ServerLink, type ServerLinkHandler, serverKeyOf } from './server-link';
import type { ChannelStreamEnd, JudgedResponse, OpenedStream, SentRequest } from './xds-channel';

/** Upward: what the client tells whoever runs it. Changes are told once, in the order in which they came about. */
export interface XdsClientHandler {
  onConnecting(link: ServerLink): void;
  onStreamOpened(link: ServerLink, stream: OpenedStream): void;
  onSubscriptionSent(streamId: string, request: SentRequest, changes: ResourceChanges): void;
  /** `repeats`: it stands for so many responses, which all changed nothing. */
  onResponse(link: ServerLink, response: ToldResponse, repeats: number): void;
  /** `request` is the ACK or NACK to `response`. */
  onAnswered(
    streamId: string,
    request: SentRequest,
    response: JudgedResponse,
    changes: ResourceChanges,
  ): void;
  onTimerExpired(streamId: string, timer: 'resource' | 'ttl', changes: ResourceChanges): void;
  onServerSwitched(change: ServerSwitch): void;
  /** With nothing on the wire that says so. */
  onCacheChanged(reason: string, changes: ResourceChanges): void;
  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void;
}

export interface ToldResponse {
  readonly streamId: string;
  readonly response: ResponseEnvelope;
  readonly read: ReadResponse;
}

export interface XdsClientOptions {
  readonly settings: ProbeSettings;
  readonly codec: ResourceCodec;
  readonly clock: Clock;
  readonly createChannel: CreateChannel;
}

/** In a list of names: everything that the server has of the type. */
const wildcardName = '*';

/**
 * An xDS client: what is wanted, of which authority, what came, and how it is answered. The cache is with the
 * authorities, streams are below the links.
 */
export class XdsClient implements ServerLinkHandler {
  /** Of old-style names: the top-level servers. */
  readonly #topLevel: Authority;
  readonly #authorities: ReadonlyMap<string, Authority>;
  readonly #every: readonly Authority[];
  readonly #links = new Map<string, ServerLink>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #interest = new InterestGraph();
  readonly #wildcardTypes: ReadonlySet<string>;
  /** Wanted for their own sake, by resourceKey(). */
  readonly #roots = new Set<string>();
  readonly #judge: Judge;
  readonly #pending = new PendingChanges();
  /** Names that no server has to do with, by type. */
  readonly #unserved = new Map<string, ResourceCache>();
  /** Of those, with the reason: told as soon as somebody knows this client. */
  readonly #untold = new PendingChanges();
  /** Did any stream open, so that there is a client to tell of? */
  #isKnown = false;
  #isRunning = false;

  constructor(
    private readonly options: XdsClientOptions,
    private readonly handler: XdsClientHandler,
  ) {
    const { settings, codec } = options;
    const { interest, servers, authorities } = settings;
    this.#judge = createJudge(settings, codec);
    this.#wildcardTypes = new Set([
      ...(interest.wildcard ? [LDS.typeUrl, CDS.typeUrl] : []),
      ...[...interest.resources].flatMap(([typeUrl, names]) =>
        names.includes(wildcardName) ? [typeUrl] : [],
      ),
    ]);
    this.#topLevel = this.#createAuthority(null, { servers, fallbackOnReachabilityOnly: false });
    this.#authorities = new Map(
      [...authorities].map(([name, config]) => [name, this.#createAuthority(name, config)]),
    );
    this.#every = [this.#topLevel, ...this.#authorities.values()];
    const roots = [[LDS.typeUrl, interest.listeners] as const, ...interest.resources];
    for (const [typeUrl, names] of roots) {
      for (const name of names) {
        if (name === wildcardName) continue;
        const key = { typeUrl, name: normaliseResourceName(name) };
        this.#roots.add(resourceKey(key));
        this.#interest.addRoot(key);
      }
    }
    for (const typeUrl of this.#wildcardTypes) this.#topLevel.typeOf(typeUrl);
  }

  start(): void {
    this.#resubscribe();
    this.#isRunning = true;
    this.#connect();
  }

  /** Resolves when streams, timers and connections are gone. The cache stays, for the next start. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const authority of this.#every) authority.disconnect();
    await Promise.all(this.#stopping);
  }

  /** How each authority is doing, the top-level one first. */
  get authorities(): readonly Authority[] {
    return this.#every;
  }

  onConnecting(link: ServerLink): void {
    this.handler.onConnecting(link);
  }

  onStreamOpened(link: ServerLink, stream: OpenedStream): void {
    this.handler.onStreamOpened(link, stream);
    this.#isKnown = true;
    this.#tellUntold();
  }

  /** gRFC A57: the resource timers start now, on a connected stream, not when the names were wished for. */
  onSubscriptionSent(link: ServerLink, streamId: string, request: SentRequest): void {
    for (const authority of this.#every) {
      if (authority.active === link) authority.startTimers(request.typeUrl);
    }
    this.handler.onSubscriptionSent(streamId, request, this.#pending.take());
  }

  heldVersions(link: ServerLink, typeUrl: string): ReadonlyMap<string, string> {
    // A server that an authority may return to is to send resources, and not only what is different.
    const types = this.#every.flatMap((authority) =>
      authority.active === link ? (authority.findType(typeUrl) ?? []) : [],
    );
    return new Map(types.flatMap(({ cache }) => [...cache.versionsOf(link.key)]));
  }

  async onResponse(link: ServerLink, streamId: string, response: ResponseEnvelope): Promise<void> {
    const { typeUrl } = response;
    const active = this.#every.filter((authority) => authority.active === link);
    const read = await readResources(response, {
      codec: this.options.codec,
      judge: this.#judge,
      takesDuplicates: this.options.settings.manner === 'as-client',
      find: (name) => {
        for (const authority of active) {
          const held = authority.findType(typeUrl)?.cache.find(name);
          if (held !== undefined) return held;
        }
        return undefined;
      },
      follow: typeUrl !== EDS.typeUrl,
      signal: link.signal,
    });
    if (read === undefined) return;
    const changes = this.#apply(link, response, read);
    this.#pending.add(changes);
    const isNews = read.received.length > 0 || changes.changed.length > 0 || changes.removed.length > 0;
    this.#answer(link, { streamId, response, read }, isNews);
    this.#resubscribe();
  }

  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void {
    this.handler.onStreamClosed(link, streamId, end);
    for (const authority of this.#every) {
      if (authority.active === link) authority.stopTimers(end.typeUrl);
      if (end.isFailure && authority.uses(link)) authority.fallBackIfNeeded();
    }
  }

  #apply(link: ServerLink, response: ResponseEnvelope, read: ReadResponse): ResourceChanges {
    const { typeUrl, isDelta, versionInfo } = response;
    const hasResource = read.resources.some(({ kind }) => kind === 'new' || kind === 'unchanged');
    const news: ServerNews = {
      isDelta,
      isBroken: response.problems.length > 0,
      versionInfo,
      resources: read.resources,
      removed: response.removedResources.map(normaliseResourceName),
      errors: response.resourceErrors.map(({ name, code, message }) => ({
        name: normaliseResourceName(name),
        code: formatStatusCode(code),
        message,
      })),
      server: link.key,
      policy: link.policy,
    };
    const together = new PendingChanges();
    for (const authority of this.#every) {
      together.add({ changed: authority.onAnswer(link, hasResource), removed: [] });
      const applied = authority.active === link ? authority.apply(typeUrl, news) : undefined;
      if (applied !== undefined) together.add(applied);
    }
    return together.take();
  }

  #answer(link: ServerLink, told: ToldResponse, isNews: boolean): void {
    const { response, read, streamId } = told;
    const { typeUrl, versionInfo, nonce, isDelta } = response;
    const answer = (verdict: JudgedResponse['verdict'], isTold: boolean): void => {
      const judged = { typeUrl, versionInfo, nonce, verdict };
      const request = link.answer(judged);
      if (request !== undefined && isTold) {
        this.handler.onAnswered(streamId, request, judged, this.#pending.take());
      }
    };
    if (read.problems.length === 0 && !isNews) {
      link.held.acceptRepeat(typeUrl, isDelta, (repeats) => {
        if (repeats > 0) this.handler.onResponse(link, told, repeats);
        answer({ kind: 'accepted' }, repeats > 0);
      });
      return;
    }
    this.handler.onResponse(link, told, 1);
    if (read.problems.length === 0) {
      link.held.acceptNews(typeUrl, isDelta, () => answer({ kind: 'accepted' }, true));
      return;
    }
    const isGoodInPart = read.resources.some(({ kind }) => kind !== 'refused');
    const errorDetail = formatProblems(read.problems);
    const movesVersion = isGoodInPart && movesVersionOnNack(this.options.settings);
    const verdict = { kind: 'rejected', errorDetail, ...(movesVersion && { movesVersion }) } as const;
    link.held.refuse(typeUrl, isDelta, { version: versionInfo, errorDetail }, () => answer(verdict, true));
  }

  /** Asks for what is wanted now and was not, and no longer for what is not. */
  #resubscribe(): void {
    const at = this.options.clock.now();
    const { added, removed } = this.#interest.take();
    const changed = new Map<string, Set<Authority>>();
    for (const { authority, typeUrl, names } of this.#group(removed)) {
      this.#pending.add(authority.typeOf(typeUrl).unwant(names));
      changed.set(typeUrl, (changed.get(typeUrl) ?? new Set()).add(authority));
    }
    for (const { authority, typeUrl, names } of this.#group(added)) {
      this.#pending.add(authority.typeOf(typeUrl).cache.want(names, at));
      changed.set(typeUrl, (changed.get(typeUrl) ?? new Set()).add(authority));
    }
    this.#unserve(added, removed, at);
    // In the order in which a client learns of them.
    for (const typeUrl of [...changed.keys()].sort(compareTypeUrls)) {
      const authorities = [...(changed.get(typeUrl) ?? [])];
      for (const link of [...this.#links.values()]) {
        if (authorities.some((authority) => authority.uses(link))) this.#subscribe(link, typeUrl);
      }
    }
    if (this.#isRunning) this.#connect();
    // Most changes went with a request. A stream that is not open yet, or needed no more, tells nobody of them.
    if (added.length + removed.length > 0) this.#tellSilent(this.#pending, 'other resources are wanted');
    this.#tellUntold();
  }

  #connect(): void {
    for (const authority of this.#every) {
      if (authority === this.#topLevel || isWanted(authority)) authority.connect();
      else if (authority.active !== undefined) authority.disconnect();
    }
  }

  #subscribe(link: ServerLink, typeUrl: string): void {
    let wildcard = false;
    const names = new Set<string>();
    for (const authority of this.#every) {
      const type = authority.uses(link) ? authority.findType(typeUrl) : undefined;
      if (type === undefined) continue;
      wildcard ||= type.wildcard;
      for (const name of type.cache.names) names.add(name);
    }
    link.subscribe(typeUrl, { wildcard, names });
  }

  #onUsed(link: ServerLink): void {
    this.#subscribeAll(link);
    link.start();
  }

  #onReleased(link: ServerLink): void {
    if (this.#every.some((authority) => authority.uses(link))) {
      this.#subscribeAll(link);
      return;
    }
    // A client that is stopped goes on later with the same versions; a server that is not needed begins anew.
    if (this.#isRunning) this.#links.delete(link.key);
    const stopping = link.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  #subscribeAll(link: ServerLink): void {
    const typeUrls = new Set(this.#every.flatMap(({ types }) => [...types.keys()]));
    for (const typeUrl of [...typeUrls].sort(compareTypeUrls)) this.#subscribe(link, typeUrl);
  }

  #linkTo(server: ServerConfig): ServerLink {
    const key = serverKeyOf(server);
    const { createChannel, clock, settings } = this.options;
    const { errorModel } = settings;
    const link =
      this.#links.get(key) ?? new ServerLink(key, server, { createChannel, clock, errorModel }, this);
    this.#links.set(key, link);
    return link;
  }

  #onServersLost(reason: string, changed: readonly ResourceState[]): void {
    this.#pending.add({ changed, removed: [] });
    // Before the first stream nobody knows this client: what is pending goes with the first request.
    if (changed.length > 0) this.#tellSilent(this.#pending, reason);
  }

  #onExpired(authority: Authority, timer: 'resource' | 'ttl', changes: ResourceChanges): void {
    this.#pending.add(changes);
    this.handler.onTimerExpired(authority.active?.lastStreamId ?? '', timer, this.#pending.take());
    this.#resubscribe();
  }

  /** By whose they are and by type; without names that no server has to do with, and what a wildcard brings. */
  #group(keys: readonly ResourceKey[]): NamesOfType[] {
    const groups = new Map<Authority, Map<string, string[]>>();
    for (const { typeUrl, name } of keys) {
      const authority = this.#findAuthority(typeUrl, name);
      if (!(authority instanceof Authority) || this.#isBroughtByWildcard(typeUrl, name)) continue;
      const byType = groups.get(authority) ?? new Map<string, string[]>();
      const names = byType.get(typeUrl) ?? [];
      names.push(name);
      groups.set(authority, byType.set(typeUrl, names));
    }
    return [...groups].flatMap(([authority, byType]) =>
      [...byType].map(([typeUrl, names]) => ({ authority, typeUrl, names })),
    );
  }

  #isBroughtByWildcard(typeUrl: string, name: string): boolean {
    return (
      this.#wildcardTypes.has(typeUrl) &&
      !this.#roots.has(resourceKey({ typeUrl, name })) &&
      this.#isTopLevel(typeUrl, name)
    );
  }

  /** gRFC A47: a name whose authority the bootstrap does not know is an error at once, and nobody is asked. */
  #unserve(added: readonly ResourceKey[], removed: readonly ResourceKey[], at: EpochMs): void {
    for (const { typeUrl, name } of removed) {
      const cache = this.#unserved.get(typeUrl);
      if (cache?.names.has(name) === true) this.#untold.add(cache.unwant([name]));
    }
    for (const { typeUrl, name } of added) {
      const reason = this.#findAuthority(typeUrl, name);
      if (typeof reason !== 'string') continue;
      const cache =
        this.#unserved.get(typeUrl) ??
        new ResourceCache({
          typeUrl,
          absenceDeletes: false,
          wildcard: false,
          isOurs: () => true,
          onLinks: () => {},
        });
      this.#unserved.set(typeUrl, cache);
      this.#untold.add({ changed: [cache.refuseName(name, reason, at)], removed: [] });
    }
  }

  #tellUntold(): void {
    this.#tellSilent(this.#untold, 'names that no server of the bootstrap has to do with');
  }

  #tellSilent(pending: PendingChanges, reason: string): void {
    if (!this.#isKnown || pending.isEmpty) return;
    this.handler.onCacheChanged(reason, pending.take());
  }

  /** Or why there is none. */
  #findAuthority(typeUrl: string, name: string): Authority | string {
    const parsed = parseResourceNameOf(typeUrl, name);
    if (!parsed.ok) return parsed.message;
    if (parsed.name.kind === 'old-style') return this.#topLevel;
    const { authority } = parsed.name;
    return (
      this.#authorities.get(authority) ??
      `expected an authority of the bootstrap (${[...this.#authorities.keys()].join(', ') || 'it has none'}), got "${authority}"`
    );
  }

  #isTopLevel(typeUrl: string, name: string): boolean {
    return !name.startsWith('xdstp:') || !(this.#findAuthority(typeUrl, name) instanceof Authority);
  }

  #createAuthority(
    name: string | null,
    config: { servers: readonly ServerConfig[]; fallbackOnReachabilityOnly: boolean },
  ): Authority {
    const { clock } = this.options;
    return new Authority({
      name,
      servers: distinctServers(config.servers),
      fallbackOnReachabilityOnly: config.fallbackOnReachabilityOnly,
      createType: (authority, typeUrl) => this.#createType(authority, typeUrl),
      linkTo: (server) => this.#linkTo(server),
      onUsed: (link) => this.#onUsed(link),
      onReleased: (link) => this.#onReleased(link),
      onSwitched: (change) => this.handler.onServerSwitched(change),
      onServersLost: (reason, changed) => this.#onServersLost(reason, changed),
      now: () => clock.now(),
    });
  }

  #createType(authority: Authority, typeUrl: string): AuthorityType {
    const wildcard = authority.name === null && this.#wildcardTypes.has(typeUrl);
    const { errorModel } = this.options.settings;
    return new AuthorityType({
      typeUrl,
      wildcard,
      clock: this.options.clock,
      isOurs: (name) => this.#isTopLevel(typeUrl, name),
      policy: () => authority.active?.policy ?? errorPolicyOf(errorModel, { features: new Set() }),
      onLinks: (key, follows) => this.#onLinks(key, follows, wildcard),
      onExpired: (timer, changes) => this.#onExpired(authority, timer, changes),
    });
  }

  /** What a wildcard brings is wanted as long as it is there. */
  #onLinks(key: ResourceKey, follows: readonly ResourceKey[] | null, wildcard: boolean): void {
    const isBrought = wildcard && !this.#roots.has(resourceKey(key));
    if (isBrought && follows !== null) this.#interest.addRoot(key);
    this.#interest.follow(key, follows ?? []);
    if (isBrought && follows === null) this.#interest.removeRoot(key);
  }
}

interface NamesOfType {
  readonly authority: Authority;
  readonly typeUrl: string;
  readonly names: string[];
}

function isWanted({ types }: Authority): boolean {
  return [...types.values()].some((type) => type.isWanted);
}

const shownProblems = 20;

/** One line each. A server that sent 30,000 broken resources need not read of each. */
function formatProblems(problems: readonly string[]): string {
  const more = problems.length - shownProblems;
  const shown = problems.slice(0, shownProblems);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
