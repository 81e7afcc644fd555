import { coreMessages } from './core-messages';
import { listenerMessages } from './listener-messages';
import { type CheckedMessage, parseMessages } from './parse-messages';
import { resourceMessages } from './resource-messages';

/**
 * The messages, and the fields of each, for which the rules are complete: Envoy rejects a value of them only if a
 * constraint of the protos or a rule does. Another field or extension leaves the verdict open.
 */
export const checkedMessages: ReadonlyMap<string, CheckedMessage> = new Map(
  [coreMessages, resourceMessages, listenerMessages].flatMap(parseMessages),
);
