import type { AwaitingSteps } from '@/lib/cooperative/steps';

/** Takes all steps, and awaits the promises that they yield. */
export async function takeAwaitingSteps<T>(steps: AwaitingSteps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await step.value;
  }
}
