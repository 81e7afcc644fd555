/** The only door for app/: the one runtime of this process, started by main.ts before any page is served. */
import type { Runtime } from './compose/runtime';

/**
 * Route handlers and code that starts at boot do not share module instances in Next; `globalThis` they share.
 * Written by runtime.ts only.
 */
export const runtimeSymbol = Symbol.for('xdscope.runtime');

export function getRuntime(): Runtime {
  const found: unknown = Reflect.get(globalThis, runtimeSymbol);
  if (found === undefined) {
    throw new Error('xdscope: no runtime in this process; start it with `npm start` (server/main.ts)');
  }
  return found as Runtime;
}

export type { Api } from './compose/api';
export type { Runtime } from './compose/runtime';
