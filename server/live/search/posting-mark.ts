import { type State, states } from '@/lib/xds/status';

/** The client no longer has the resource. */
export const goneMark = 255;

interface Marked {
  readonly state: State;
  /** The client holds content of the resource. */
  readonly isHeld: boolean;
  /** The client is a probe of xdscope. */
  readonly isProbe: boolean;
}

/** Encodes in one byte what the index has of a resource at a client. */
export function formatMark({ state, isHeld, isProbe }: Marked): number {
  return states.indexOf(state) * 4 + (isHeld ? 2 : 0) + (isProbe ? 1 : 0);
}

export function stateIndexOf(mark: number): number {
  return mark >>> 2;
}

export function isHeldMark(mark: number): boolean {
  return (mark & 2) !== 0;
}

export function isProbeMark(mark: number): boolean {
  return (mark & 1) !== 0;
}
