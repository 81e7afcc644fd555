import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import type { ErrorModel, ProbeTransport } from '@/lib/xds/probe-choices';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { compareTypeUrls, EDS } from '@/lib/xds/resource-type';
import { formatStatusCode } from '@/lib/xds/status-code';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../../observe';
import type { AuthorityConfig, ServerConfig } from '../../../transport/bootstrap/server-config';
import { type ReadResponse, readResources } from '../response/read-resources';
import { Repeats } from '../response/repeats';
import type { ResourceCodec } from '../response/resource-codec';
import type { ValidationSettings, Validator } from '../response/resource-validator';
import { createValidator, nackBehaviorOf } from '../response/resource-validator';
import type { ResponseEnvelope } from '../response/response-envelope';
import { type FindRepeatable, ResponseOrder } from '../response/response-order';
import { WireList } from '../response/wire-list';
import { errorPolicyOf } from '../stream/error-policy';
import { type CreateChannel, ServerLink, type ServerLinkHandler } from '../stream/server-link';
import type { ChannelStreamEnd, OpenedStream, SentRequest } from '../stream/xds-channel';
import { answerResponse } from './answer-response';
import { Authorities } from './authorities';
import { Authority, distinctServers } from './authority';
import { AuthorityType } from './authority-type';
import { PendingChanges } from './pending-changes';
import { ResourceCache } from './resource-cache';
import type { ResponseUpdate } from './response-update';
import { ServerLinks } from './server-links';
import { type ProbeInterest, WantedNames } from './wanted-names';
import type { XdsClientHandler } from './xds-client-handler';

export interface XdsClientSettings extends ValidationSettings {
  readonly errorModel: ErrorModel;
  readonly transport: ProbeTransport;
  readonly interest: ProbeInterest;
  /** The top-level servers in the order of preference (gRFC A71). Never empty. */
  readonly servers: readonly ServerConfig[];
  readonly authorities: ReadonlyMap<string, AuthorityConfig>;
}

interface XdsClientOptions {
  readonly settings: XdsClientSettings;
  readonly codec: ResourceCodec;
  readonly clock: Clock;
  readonly createChannel: CreateChannel;
  /** Resolves when everything that was reported to the handler is processed. Until then a stream reads no further. */
  readonly whenReported?: ((sizeBytes: number) => Promise<void>) | undefined;
}

/** If a client does not use ADS, its resources name another stream of the same server as an api_config_source. */
function isAggregated(transport: ProbeTransport): boolean {
  return transport === 'ads' || transport === 'delta-ads';
}

const noChanges: ResourceChanges = { changed: [], removed: [] };

/** Subscribes to the wanted names at their servers, reads responses, applies them to the caches and answers them. */
export class XdsClient implements ServerLinkHandler {
  readonly #options: XdsClientOptions;
  readonly #handler: XdsClientHandler;
  readonly #authorities: Authorities;
  readonly #links: ServerLinks;
  readonly #wanted: WantedNames;
  readonly #validate: Validator;
  readonly #repeats = new RepeatFinder();
  readonly #pending = new PendingChanges();
  readonly #unserved = new InvalidNames();
  /** False until the first stream opens; until then observations contain no client. */
  #hadStream = false;
  #isRunning = false;

  constructor(options: XdsClientOptions, handler: XdsClientHandler) {
    this.#options = options;
    this.#handler = handler;
    const { settings, codec } = options;
    const { interest, servers, authorities } = settings;
    this.#validate = createValidator(settings, codec);
    this.#wanted = new WantedNames(interest, (typeUrl, name) => this.#authorities.isTopLevel(typeUrl, name));
    const { createChannel, clock } = options;
    const { errorModel } = settings;
    this.#links = new ServerLinks(
      (key, server) => new ServerLink(key, server, { createChannel, clock, errorModel }, this),
      () => this.#authorities.all,
    );
    const topLevel = this.#createAuthority(null, { servers, fallbackOnReachabilityOnly: false });
    this.#authorities = new Authorities(
      topLevel,
      [...authorities].map(([name, config]) => this.#createAuthority(name, config)),
    );
    for (const typeUrl of this.#wanted.wildcardTypes) topLevel.typeOf(typeUrl);
  }

  start(): void {
    this.#resubscribe();
    this.#isRunning = true;
    this.#connect();
  }

  /** Resolves when all streams, timers and connections have ended. The cache is kept for the next start. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const authority of this.#authorities.all) authority.disconnect();
    await this.#links.released();
  }

  /** Returns all authorities, the top-level one first. */
  get authorities(): readonly Authority[] {
    return this.#authorities.all;
  }

  onConnecting(link: ServerLink): void {
    this.#handler.onConnecting(link);
  }

  onStreamOpened(link: ServerLink, stream: OpenedStream): void {
    this.#handler.onStreamOpened(link, stream);
    this.#hadStream = true;
    this.#emitUnserved();
  }

  /** gRFC A57: resource timers start when names are sent on a connected stream, not when they are first wanted. */
  onSubscriptionSent(link: ServerLink, streamId: string, request: SentRequest): void {
    for (const authority of this.#authorities.all) {
      if (authority.active === link) authority.startTimers(request.typeUrl);
    }
    this.#handler.onSubscriptionSent(streamId, request, this.#pending.take());
  }

  heldVersions(link: ServerLink, typeUrl: string): ReadonlyMap<string, string> {
    // Only the active server receives versions, because an authority returns to a preferred one with its first resource.
    const types = this.#typesOf(link, typeUrl);
    return new Map(types.flatMap(({ cache }) => [...cache.versionsOf(link.key)]));
  }

  recall(link: ServerLink, typeUrl: string): ResponseOrder | undefined {
    return this.#repeats.recall(link, typeUrl, this.#typesOf(link, typeUrl));
  }

  async onResponse(link: ServerLink, streamId: string, response: ResponseEnvelope): Promise<void> {
    // The read resources go out of scope before the wait, because they may occupy 107 MB.
    const isRead = await this.#process(link, streamId, response);
    if (isRead) await this.#options.whenReported?.(response.sizeBytes);
  }

  /** Reads, applies, reports and answers a response. Resolves to false if the link was stopped meanwhile. */
  async #process(link: ServerLink, streamId: string, response: ResponseEnvelope): Promise<boolean> {
    const { typeUrl } = response;
    const types = this.#typesOf(link, typeUrl);
    const repeats = this.#repeats.open(link, response, types);
    const { mode, transport } = this.#options.settings;
    const read = await readResources(response, {
      codec: this.#options.codec,
      validate: this.#validate,
      repeats,
      // A NACK disturbs no server where files are read.
      rejectsUnreadable: mode === 'validate' || transport === 'file',
      find: (name) => {
        for (const { cache } of types) {
          const held = cache.find(name);
          if (held !== undefined) return held;
        }
        return undefined;
      },
      follow:
        typeUrl === EDS.typeUrl
          ? null
          : { fromApi: !isAggregated(transport), fromRest: transport === 'rest' },
      signal: link.signal,
    });
    if (read === undefined) return false;
    this.#repeats.close(link, response, repeats);
    const isNews = this.#apply(link, response, read);
    answerResponse(
      link,
      { streamId, response, read },
      {
        isNews,
        nack: nackBehaviorOf(this.#options.settings),
        isSubscribed: (name) => types.some(({ wildcard, cache }) => wildcard || cache.names.has(name)),
        isAwaited: (name) => types.some(({ cache }) => cache.unknownNames.has(name)),
        handler: this.#handler,
        takeChanges: () => this.#pending.take(),
      },
    );
    this.#resubscribe();
    return true;
  }

  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void {
    this.#handler.onStreamClosed(link, streamId, end);
    for (const authority of this.#authorities.all) {
      if (authority.active === link) authority.stopTimers(end.typeUrl);
      if (end.isFailure && authority.uses(link)) authority.fallBackIfNeeded();
    }
  }

  /** Returns the types of the authorities whose active server is this one. */
  #typesOf(link: ServerLink, typeUrl: string): AuthorityType[] {
    return this.#authorities.all.flatMap((authority) =>
      authority.active === link ? (authority.findType(typeUrl) ?? []) : [],
    );
  }

  /** Returns whether the response changed anything. */
  #apply(link: ServerLink, response: ResponseEnvelope, read: ReadResponse): boolean {
    const { typeUrl, isDelta, versionInfo } = response;
    const hasResource =
      read.unchanged > 0 || read.resources.some(({ kind }) => kind === 'new' || kind === 'unchanged');
    const news: ResponseUpdate = {
      isDelta,
      isBroken: response.problems.length > 0,
      versionInfo,
      resources: read.resources,
      repeats: read.repeats,
      hasCopies: read.hasCopies,
      hasTtls: read.hasTtls,
      removed: response.removedResources.map(normaliseResourceName),
      errors: response.resourceErrors.map(({ name, code, message }) => ({
        name: normaliseResourceName(name),
        code: formatStatusCode(code),
        message,
      })),
      server: link.key,
      policy: link.policy,
    };
    let isNews = read.received.length > 0;
    for (const authority of this.#authorities.all) {
      const cleared = { changed: authority.onAnswer(link, hasResource), removed: [] };
      const applied = authority.active === link ? authority.apply(typeUrl, news) : undefined;
      for (const changes of [cleared, applied ?? noChanges]) {
        isNews ||= changes.changed.length > 0 || changes.removed.length > 0;
        this.#pending.add(changes);
      }
    }
    return isNews;
  }

  /** Subscribes to the names that have become wanted, and unsubscribes from the others. */
  #resubscribe(): void {
    const at = this.#options.clock.now();
    const { added, removed } = this.#wanted.take();
    const changed = new Map<string, Set<Authority>>();
    for (const { authority, typeUrl, names } of this.#authorities.group(removed)) {
      this.#pending.add(authority.typeOf(typeUrl).unwant(names));
      changed.set(typeUrl, (changed.get(typeUrl) ?? new Set()).add(authority));
    }
    for (const { authority, typeUrl, names } of this.#authorities.group(added)) {
      this.#pending.add(authority.typeOf(typeUrl).cache.want(names, at));
      changed.set(typeUrl, (changed.get(typeUrl) ?? new Set()).add(authority));
    }
    this.#unserved.unwant(removed);
    for (const key of added) {
      const reason = this.#authorities.find(key.typeUrl, key.name);
      if (typeof reason === 'string') this.#unserved.reject(key, reason, at);
    }
    // Clients request the types in this order.
    for (const typeUrl of [...changed.keys()].sort(compareTypeUrls)) {
      this.#links.subscribe(typeUrl, changed.get(typeUrl) ?? []);
    }
    if (this.#isRunning) this.#connect();
    // Most changes are reported with a request. A stream that is not open, or no longer needed, sends none.
    if (added.length + removed.length > 0) this.#emitCacheChange(this.#pending, 'other resources are wanted');
    this.#emitUnserved();
  }

  #connect(): void {
    for (const authority of this.#authorities.all) {
      if (authority.name === null || isWanted(authority)) authority.connect();
      else if (authority.active !== undefined) authority.disconnect();
    }
  }

  #onAllFailed(reason: string, changed: readonly ResourceState[]): void {
    this.#pending.add({ changed, removed: [] });
    if (changed.length > 0) this.#emitCacheChange(this.#pending, reason);
  }

  #onExpired(authority: Authority, timer: 'resource' | 'ttl', changes: ResourceChanges): void {
    this.#pending.add(changes);
    this.#handler.onTimerExpired(authority.active?.lastStreamId ?? '', timer, this.#pending.take());
    this.#resubscribe();
  }

  #emitUnserved(): void {
    this.#emitCacheChange(this.#unserved.pending, 'names without a server in the bootstrap');
  }

  #emitCacheChange(pending: PendingChanges, reason: string): void {
    if (!this.#hadStream || pending.isEmpty) return;
    this.#handler.onCacheChanged(reason, pending.take());
  }

  #createAuthority(
    name: string | null,
    config: { servers: readonly ServerConfig[]; fallbackOnReachabilityOnly: boolean },
  ): Authority {
    const { clock } = this.#options;
    return new Authority({
      name,
      servers: distinctServers(config.servers),
      fallbackOnReachabilityOnly: config.fallbackOnReachabilityOnly,
      createType: (authority, typeUrl) => this.#createType(authority, typeUrl),
      linkTo: (server) => this.#links.linkTo(server),
      onUsed: (link) => this.#links.use(link),
      onReleased: (link) => this.#links.release(link, { isStopped: !this.#isRunning }),
      onSwitched: (change) => this.#handler.onServerSwitched(change),
      onAllFailed: (reason, changed) => this.#onAllFailed(reason, changed),
      now: () => clock.now(),
    });
  }

  #createType(authority: Authority, typeUrl: string): AuthorityType {
    const wildcard = authority.name === null && this.#wanted.wildcardTypes.has(typeUrl);
    const { errorModel } = this.#options.settings;
    return new AuthorityType({
      typeUrl,
      wildcard,
      clock: this.#options.clock,
      isOurs: (name) => this.#authorities.isTopLevel(typeUrl, name),
      policy: () => authority.active?.policy ?? errorPolicyOf(errorModel, { features: new Set() }),
      onLinks: (key, follows) => this.#wanted.onLinks(key, follows),
      onExpired: (timer, changes) => this.#onExpired(authority, timer, changes),
    });
  }
}

function isWanted({ types }: Authority): boolean {
  return [...types.values()].some((type) => type.isWanted);
}

/** Keeps the order of the last response of each server and type, so that repeated resources are skipped fast. */
class RepeatFinder {
  readonly #orders = new WeakMap<ServerLink, Map<string, ResponseOrder>>();

  /** Returns the held resources in the order of the last response, which the next response may repeat. */
  recall(link: ServerLink, typeUrl: string, types: readonly AuthorityType[]): ResponseOrder | undefined {
    const [type] = types;
    if (type === undefined || types.length !== 1 || !type.hasNoTtl) return undefined;
    const find: FindRepeatable = (name) => type.cache.findRepeatable(name, link.key);
    const order = this.#orders.get(link)?.get(typeUrl) ?? new ResponseOrder(typeUrl, [], find);
    const touched = type.cache.takeTouched(order);
    if (touched === null) order.refreshAll(find);
    else order.refresh(touched, find);
    return order;
  }

  /** Returns undefined if every resource must be read: in delta, and if the response is for several authorities. */
  open(
    link: ServerLink,
    { isDelta, resources, typeUrl }: ResponseEnvelope,
    types: readonly AuthorityType[],
  ): Repeats | undefined {
    if (isDelta || !(resources instanceof WireList)) return undefined;
    const order = this.recall(link, typeUrl, types);
    return order && new Repeats(resources, order);
  }

  /** Must be called when the response has been read completely. */
  close(link: ServerLink, { typeUrl }: ResponseEnvelope, repeats: Repeats | undefined): void {
    const names = repeats?.otherNames() ?? null;
    if (names === null) return;
    const orders = this.#orders.get(link) ?? new Map<string, ResponseOrder>();
    // The response is applied afterwards, which touches its rows.
    this.#orders.set(link, orders.set(typeUrl, new ResponseOrder(typeUrl, names, () => undefined)));
  }
}

/** gRFC A47: a name is in error and not requested if it is malformed, or if the bootstrap lacks its authority. */
class InvalidNames {
  /** The changes are reported once the first stream is open. */
  readonly pending = new PendingChanges();
  readonly #byType = new Map<string, ResourceCache>();

  reject({ typeUrl, name }: ResourceKey, reason: string, at: EpochMs): void {
    const none = { absenceDeletes: false, wildcard: false, isOurs: () => true, onLinks: () => {} };
    const cache = this.#byType.get(typeUrl) ?? new ResourceCache({ typeUrl, ...none });
    this.#byType.set(typeUrl, cache);
    this.pending.add({ changed: [cache.rejectName(name, reason, at)], removed: [] });
  }

  unwant(keys: readonly ResourceKey[]): void {
    for (const { typeUrl, name } of keys) {
      const cache = this.#byType.get(typeUrl);
      if (cache?.names.has(name) === true) this.pending.add(cache.unwant([name]));
    }
  }
}
