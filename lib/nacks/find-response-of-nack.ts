import { normaliseResourceName } from '../xds/resource-name';
import { parseNackText } from './parse-nack-text';

interface SentResponse {
  readonly versionInfo: string;
  readonly resources: readonly { readonly name: string | null }[];
}

/** State of the world: the NACK of a client, and the responses that it answers. */
interface AnsweringNack<Response> {
  /** Oldest first; the last one is that of the nonce. */
  readonly answered: readonly Response[];
  readonly errorDetail: string;
  /** The accepted version in the NACK. */
  readonly versionInfo: string;
}

/**
 * Finds the response that a NACK is about. An Envoy that withholds its answers while clusters warm sends one for all
 * responses in between: it can have the nonce and the version of the last one, which is accepted, and the error of an
 * earlier one. Its text names the resources, which the last response lacks or has with another payload. Returns
 * undefined if the NACK is about the last one.
 */
export function findResponseOfNack<Response extends SentResponse>({
  answered,
  errorDetail,
  versionInfo,
}: AnsweringNack<Response>): Response | undefined {
  const last = answered.at(-1);
  if (last === undefined || answered.length < 2 || last.versionInfo !== versionInfo) return undefined;
  const named = parseNackText(errorDetail).flatMap(({ resourceName }) =>
    resourceName === undefined ? [] : [normaliseResourceName(resourceName)],
  );
  const hasNamed = ({ resources }: Response): boolean =>
    resources.some(({ name }) => name !== null && named.includes(name));
  return answered.slice(0, -1).findLast(hasNamed);
}
