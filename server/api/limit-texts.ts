import type { Api } from './api';
import { cutLongTexts } from './cut-long-texts';

/** Their answers are bodies as a whole, or texts of our own. */
const wholeTexts: ReadonlySet<PropertyKey> = new Set<keyof Api>([
  'getMetrics',
  'labResources',
  'setLabResource',
  'removeLabResource',
]);

/** The same API, whose answers hold no text from outside that is long enough to be in the way of a page. */
export function limitTexts(api: Api): Api {
  return new Proxy(api, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || wholeTexts.has(name)) return method;
      return (...parameters: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(method, target, parameters);
        return answer instanceof Promise ? answer.then(cutAnswer) : cutAnswer(answer);
      };
    },
  });
}

/** A file of comma-separated values is whole. */
function cutAnswer(answer: unknown): unknown {
  const isFile = typeof answer === 'object' && answer !== null && 'csv' in answer;
  return isFile ? answer : cutLongTexts(answer);
}
