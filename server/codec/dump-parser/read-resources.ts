import { messageNameOf, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { type AnyMessage, bytesOf } from '../resource-message';
import { peekResourceName } from '../resource-name';
import type { ReportPlan, ReportProblem } from './report-plan';

export interface FoundResource {
  /** The URL has its prefix; a v2 type remains v2. */
  readonly typeUrl: string;
  /** Empty if the resource has no name. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** JSON path of the element that holds the resource, '' for the whole document. */
  readonly place: string;
}

export interface FoundResources {
  readonly resources: readonly FoundResource[];
  readonly problems: readonly ReportProblem[];
  /** The document as a whole is one resource. */
  readonly isSingle: boolean;
}

/** An import shows these messages as rows, but they are no resources. */
const noResource = /^envoy\.(?:admin|config\.bootstrap)\./;

/** Reads every resource of a document at once, rejected configurations included. Nothing is redacted. */
export function readResources({ kinds, reports, problems: planned }: ReportPlan): FoundResources {
  const resources: FoundResource[] = [];
  const problems = [...planned];
  const seen = new Set<string>();
  for (const element of reports.flatMap((report) => report.elements())) {
    const { place = '' } = element;
    const read = element.read();
    problems.push(...read.problems);
    for (const message of read.messages) {
      const held = [message, ...(message.others ?? [])].map(({ xdsConfig }) => xdsConfig);
      for (const any of [...held, message.errorState?.failedConfiguration]) {
        const resource = any && findResource(any, message.typeUrl, message.name, place);
        if (resource === undefined || resource === null) continue;
        const key = `${resource.typeUrl}\u0000${resource.name}`;
        // A bootstrap repeats resources that are already in the dump of their type.
        if (message.isStaticResource && seen.has(key)) continue;
        seen.add(key);
        resources.push(resource);
      }
    }
  }
  const isSingle = kinds.join() === 'resources' && resources.length === 1 && resources[0]?.place === '';
  return { resources, problems, isSingle };
}

/** Returns undefined if the Any is empty, of an unknown type in JSON, or of a message that is no resource. */
function findResource(
  any: AnyMessage,
  defaultTypeUrl: string | undefined,
  name: string | undefined,
  place: string,
): FoundResource | undefined {
  const typeUrl = normaliseTypeUrl(any.type_url || defaultTypeUrl || '');
  if (typeUrl === '' || any.value === undefined || noResource.test(messageNameOf(typeUrl))) return undefined;
  const bytes = bytesOf(any);
  return { typeUrl, name: name || (peekResourceName(typeUrl, bytes) ?? ''), bytes, place };
}
