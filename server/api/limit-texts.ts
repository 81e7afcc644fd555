import type { Api } from './api';
import { cutLongTexts } from './cut-long-texts';

/** Answers that are a text of our own as a whole, or whose long texts are already cut. */
const wholeTexts: ReadonlySet<PropertyKey> = new Set<keyof Api>([
  'getMetrics',
  'ask',
  'askClient',
  'runCommand',
  'answerRequest',
]);

/** The same API, whose answers hold no text from outside that is long enough to be in the way of a page. */
export function limitTexts(api: Api): Api {
  return new Proxy(api, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || wholeTexts.has(name)) return method;
      return (...parameters: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(method, target, parameters);
        return answer instanceof Promise ? answer.then(cutLongTexts) : cutLongTexts(answer);
      };
    },
  });
}
