import { Repeats } from '../response/repeats';
import type { ResponseEnvelope } from '../response/response-envelope';
import { type FindSettled, ResponseOrder } from '../response/response-order';
import { WireList } from '../response/wire-list';
import type { ServerLink } from '../stream/server-link';
import type { AuthorityType } from './authority-type';

/** Remembers what the newest response of each server and type looked like, so that the next one is passed over fast. */
export class RepeatFinder {
  readonly #orders = new WeakMap<ServerLink, Map<string, ResponseOrder>>();

  /** What a response that begins now may repeat: what is held of it, in the order of the one before. */
  recall(link: ServerLink, typeUrl: string, types: readonly AuthorityType[]): ResponseOrder | undefined {
    const [type] = types;
    if (type === undefined || types.length !== 1 || !type.isLasting) return undefined;
    const find: FindSettled = (name) => type.cache.findSettled(name, link.key);
    const order = this.#orders.get(link)?.get(typeUrl) ?? new ResponseOrder(typeUrl, [], find);
    const touched = type.cache.takeTouched(order);
    if (touched === null) order.refreshAll(find);
    else order.refresh(touched, find);
    return order;
  }

  /** undefined where each resource has to be looked at: in delta, and where `types`, that hold them, are not one. */
  open(
    link: ServerLink,
    { isDelta, resources, typeUrl }: ResponseEnvelope,
    types: readonly AuthorityType[],
  ): Repeats | undefined {
    if (isDelta || !(resources instanceof WireList)) return undefined;
    const order = this.recall(link, typeUrl, types);
    return order && new Repeats(resources, order);
  }

  /** The response was read to its end. */
  close(link: ServerLink, { typeUrl }: ResponseEnvelope, repeats: Repeats | undefined): void {
    const names = repeats?.otherNames() ?? null;
    if (names === null) return;
    const orders = this.#orders.get(link) ?? new Map<string, ResponseOrder>();
    // Nothing is held of it before the response is applied: its rows are touched then.
    this.#orders.set(link, orders.set(typeUrl, new ResponseOrder(typeUrl, names, () => undefined)));
  }
}
