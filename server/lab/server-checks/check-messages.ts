import type { CheckMessage, CheckResult } from '@/lib/server-checks/server-check';
import { redactMessage } from '../../codec/secrets/redact-message';

const mostMessages = 200;
const mostNames = 100;
const mostCharacters = 500;

/** A text of the checked server, without secrets, and not longer than 500 characters. */
export function shortened(text: string): string {
  const redacted = redactMessage(text.slice(0, 2 * mostCharacters));
  return redacted.length <= mostCharacters ? redacted : `${redacted.slice(0, mostCharacters)}…`;
}

/** The messages of a check, within limits: a server that does not follow the protocol may send any number of any size. */
export class CheckMessages {
  readonly #messages: CheckMessage[] = [];
  #more = 0;

  add(message: CheckMessage): void {
    if (this.#messages.length === mostMessages) {
      this.#more += 1;
      return;
    }
    const { names, removed, version, nonce, error } = message;
    const moreNames = Math.max(0, names.length - mostNames) + Math.max(0, removed.length - mostNames);
    this.#messages.push({
      ...message,
      names: names.slice(0, mostNames).map(shortened),
      removed: removed.slice(0, mostNames).map(shortened),
      ...(moreNames > 0 && { moreNames }),
      ...{ version: shortened(version), nonce: shortened(nonce), error: shortened(error) },
    });
  }

  get all(): Pick<CheckResult, 'messages' | 'moreMessages'> {
    return { messages: [...this.#messages], ...(this.#more > 0 && { moreMessages: this.#more }) };
  }
}
