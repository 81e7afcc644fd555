import { listenedAddressesOf } from './envoy/listener-rules';
import { Field } from './field';

/** Adds the addresses of a listener to those of the listeners before it, with its name. */
export function addAddresses(owners: Map<string, string>, listener: string, json: unknown): void {
  for (const { text, port } of listenedAddressesOf(new Field(json)))
    if (port !== 0 && !owners.has(text)) owners.set(text, listener);
}
