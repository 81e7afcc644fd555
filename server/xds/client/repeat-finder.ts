import { Repeats } from '../response/repeats';
import type { ResponseEnvelope } from '../response/response-envelope';
import { type FindRepeatable, ResponseOrder } from '../response/response-order';
import { WireList } from '../response/wire-list';
import type { ServerLink } from '../stream/server-link';
import type { AuthorityType } from './authority-type';

/** Keeps the order of the last response of each server and type, so that repeated resources are skipped fast. */
export class RepeatFinder {
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
