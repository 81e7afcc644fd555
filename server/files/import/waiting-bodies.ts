import { type Body, type PostedBody, sizeOfBody } from '../../observe';

export interface WaitingBodies {
  readonly bodies: readonly (Body | PostedBody)[];
  /** See ReceivedBodies. */
  readonly settle?: () => void;
}

/** Further bodies that no observation has followed are dropped. */
const maxWaitingBytes = 64 * 1024 * 1024;

/** Bodies of a recording, until the next observation: they precede the observations that name them. MUTABLE. */
export class BodyQueue {
  #waiting: WaitingBodies[] = [];
  #sizeBytes = 0;

  add(read: WaitingBodies): void {
    this.#waiting.push(read);
    this.#sizeBytes += read.bodies.reduce((sum, body) => sum + sizeOfBody(body), 0);
    if (this.#sizeBytes > maxWaitingBytes) this.passTo(() => undefined);
  }

  passTo(append: (bodies: WaitingBodies['bodies']) => void): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#sizeBytes = 0;
    append(waiting.flatMap(({ bodies }) => bodies));
    for (const { settle } of waiting) settle?.();
  }
}
