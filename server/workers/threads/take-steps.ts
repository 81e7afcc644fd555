import { performance } from 'node:perf_hooks';
import type { Steps } from '@/lib/cooperative/steps';
import { nextTurn, sliceMs } from './in-slices';

/** Takes the steps in slices that do not block the event loop. */
export async function takeSteps<T>(steps: Steps<T>): Promise<T> {
  let startedAt = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - startedAt < sliceMs) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
