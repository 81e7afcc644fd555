import type { MessagePort } from 'node:worker_threads';
import type { Observation } from '@/lib/observation/observation';

/** The bytes of a resource (`google.protobuf.Any.value`), already redacted. */
export interface Body {
  /** SHA-256 of `bytes`, hex. */
  readonly hash: string;
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}

/** A message with bodies that a source thread posted to the log thread. */
export interface PostedPack {
  readonly channel: number;
  /** Number of the message in its channel, from 1 on. */
  readonly message: number;
  /** The bodies of the message that the log needs. The recorder adds them during append(). */
  readonly kept: PostedBody[];
}

/** The log thread holds the bytes of this body; they never reach the main thread. */
export interface PostedBody extends Omit<Body, 'bytes'> {
  readonly pack: PostedPack;
  /** Range in the message. */
  readonly from: number;
  readonly to: number;
}

/** Connects a source thread to the log thread for bodies. */
export interface BodyChannel {
  readonly channel: number;
  /** The source thread posts on this port, which closes when the log thread ends. */
  readonly port: MessagePort;
  /** Must be called once for each message after its observations were appended. Frees unneeded bodies. */
  acknowledge(pack: PostedPack, count: number): void;
  /** Must be called when the source thread has ended. No observation names messages after `lastMessage`. */
  close(lastMessage: number): void;
}

export type OpenBodyChannel = () => Promise<BodyChannel>;

/** An observation, and the bodies that it is the first to name. Repeating a known body is allowed and cheap. */
export interface Emission {
  readonly observation: Observation;
  readonly bodies: readonly Body[];
  /** The numbers of the load report are stored separately and count once. */
  readonly isLoadApart?: boolean;
}

/** An emission that reached the main thread. The bytes of its bodies may have been sent to the log thread directly. */
export interface RoutedEmission extends Omit<Emission, 'bodies'> {
  readonly bodies: readonly (Body | PostedBody)[];
  /** The seq that a shared store has assigned to it. Absent: this process assigns the next one. */
  readonly seq?: number;
}

export function isPosted(body: Body | PostedBody): body is PostedBody {
  return 'pack' in body;
}

export function sizeOfBody(body: Body | PostedBody): number {
  return isPosted(body) ? body.to - body.from : body.bytes.byteLength;
}

/** Emits an observation. It is synchronous and never throws or blocks; runtime.ts wires it. */
export type Observe = (emission: Emission) => void;
export type ObserveRouted = (emission: RoutedEmission) => void;

type WithoutBase<T> = T extends Observation ? Omit<T, 'at' | 'vantage' | 'sourceId'> : never;
/** An observation without its time, vantage and source. */
export type Reported = WithoutBase<Observation>;

/** The clock is injected, so that tests decide what time it is. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, delayMs: number): { cancel(): void };
}

/** Node fires a timer with a longer delay immediately. The limit is 24 days; a TTL may be longer. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    let handle: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, longestTimerMs);
      handle = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()), stepMs);
    };
    wait(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
