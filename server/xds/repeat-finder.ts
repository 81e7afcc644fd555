import type { AuthorityType } from './authority-type';
import { Repeats } from './repeats';
import type { ResponseEnvelope } from './response-envelope';
import { noOrder, type ResponseOrder } from './response-order';
import type { ServerLink } from './server-link';
import { WireList } from './wire-list';

/** Remembers what the newest response of each server and type looked like, so that the next one is passed over fast. */
export class RepeatFinder {
  readonly #orders = new WeakMap<ServerLink, Map<string, ResponseOrder>>();

  /** undefined where each resource has to be looked at: in delta, and where `types`, that hold them, are not one. */
  open(
    link: ServerLink,
    { isDelta, resources, typeUrl }: ResponseEnvelope,
    types: readonly AuthorityType[],
  ): Repeats | undefined {
    const [type] = types;
    if (isDelta || !(resources instanceof WireList) || types.length !== 1) return undefined;
    if (type === undefined || !type.isLasting) return undefined;
    const order = this.#orders.get(link)?.get(typeUrl) ?? noOrder;
    return new Repeats(resources, typeUrl, order, (name) => type.cache.findSettled(name, link.key));
  }

  /** The response was read to its end. */
  close(link: ServerLink, { typeUrl }: ResponseEnvelope, repeats: Repeats | undefined): void {
    if (repeats === undefined) return;
    const orders = this.#orders.get(link) ?? new Map<string, ResponseOrder>();
    this.#orders.set(link, orders.set(typeUrl, repeats.nextOrder()));
  }
}
