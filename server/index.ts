/**
 * This is the only server module that app/ imports: the runtime of this process, which main.ts starts before any page
 * is served.
 */
import type { Runtime } from './compose/api';

/**
 * Next gives route handlers and startup code different module instances, but one `globalThis`. Only runtime.ts writes
 * it.
 */
export const runtimeSymbol = Symbol.for('xdscope.runtime');

export function getRuntime(): Runtime {
  const found: unknown = Reflect.get(globalThis, runtimeSymbol);
  if (found === undefined) {
    throw new Error('xdscope: no runtime in this process; start it with `npm start` (server/main.ts)');
  }
  return found as Runtime;
}

export type { Api, Runtime } from './compose/api';
