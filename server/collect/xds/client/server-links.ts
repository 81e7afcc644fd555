import { compareTypeUrls } from '@/lib/xds/resource-type';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import { type ServerLink, serverKeyOf } from '../stream/server-link';
import type { Authority } from './authority';

/** The links of a client, one for each server, shared by the authorities that use it. */
export class ServerLinks {
  readonly #create: (key: string, server: ServerConfig) => ServerLink;
  readonly #authorities: () => readonly Authority[];
  readonly #links = new Map<string, ServerLink>();
  readonly #stopping = new Set<Promise<void>>();

  constructor(
    create: (key: string, server: ServerConfig) => ServerLink,
    authorities: () => readonly Authority[],
  ) {
    this.#create = create;
    this.#authorities = authorities;
  }

  linkTo(server: ServerConfig): ServerLink {
    const key = serverKeyOf(server);
    const link = this.#links.get(key) ?? this.#create(key, server);
    this.#links.set(key, link);
    return link;
  }

  use(link: ServerLink): void {
    this.#subscribeAll(link);
    link.start();
  }

  /**
   * Must be called after an authority has released the link. Stops it unless another authority uses it. The link of a
   * stopped client is kept, with its versions, for the next start.
   */
  release(link: ServerLink, { isStopped }: { readonly isStopped: boolean }): void {
    if (this.#authorities().some((authority) => authority.uses(link))) {
      this.#subscribeAll(link);
      return;
    }
    if (!isStopped) this.#links.delete(link.key);
    const stopping = link.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  /** Must be called after the wanted names of the type have changed in these authorities. */
  subscribe(typeUrl: string, authorities: Iterable<Authority>): void {
    const changed = [...authorities];
    for (const link of [...this.#links.values()]) {
      if (changed.some((authority) => authority.uses(link))) this.#subscribe(link, typeUrl);
    }
  }

  /** Resolves when the streams, timers and connections of all released links have ended. */
  async released(): Promise<void> {
    await Promise.all(this.#stopping);
  }

  #subscribeAll(link: ServerLink): void {
    const typeUrls = new Set(this.#authorities().flatMap(({ types }) => [...types.keys()]));
    for (const typeUrl of [...typeUrls].sort(compareTypeUrls)) this.#subscribe(link, typeUrl);
  }

  #subscribe(link: ServerLink, typeUrl: string): void {
    const types = this.#authorities().flatMap((authority) =>
      authority.uses(link) ? (authority.findType(typeUrl) ?? []) : [],
    );
    const wildcard = types.some((type) => type.wildcard);
    const [only] = types;
    const names =
      only !== undefined && types.length === 1
        ? only.cache.takeNames()
        : new Set(types.flatMap(({ cache }) => [...cache.names]));
    link.subscribe(typeUrl, { wildcard, names });
  }
}
