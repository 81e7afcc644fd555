/** This is the only server module that app/ imports: the runtime of this process, which main.ts starts. */
import type { Runtime } from './compose/api';

/** Next's route handlers and startup code have different module instances, but one `globalThis`. */
export const runtimeSymbol = Symbol.for('xdscope.runtime');

export function getRuntime(): Runtime {
  const found: unknown = Reflect.get(globalThis, runtimeSymbol);
  if (found === undefined) {
    throw new Error('xdscope: no runtime in this process; start it with `npm start` (server/main.ts)');
  }
  return found as Runtime;
}

export type { Api, Runtime } from './compose/api';
