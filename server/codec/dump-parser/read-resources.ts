import { messageNameOf, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { type AnyMessage, bytesOf, type ResourceMessage } from '../resource-message';
import { peekResourceName } from '../resource-name';
import type { PlannedReport, ReportPlan, ReportProblem } from './report-plan';

export interface FoundResource {
  /** The URL has its prefix; a v2 type remains v2. */
  readonly typeUrl: string;
  /** Empty if the resource has no name. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** JSON path of the element that holds the resource, '' for the whole document. */
  readonly place: string;
  /** The DiscoveryResponse that carries the resource. Those of one response share the value. */
  readonly response?: ResourceMessage['response'];
  /** The index of the client in the document to which the resource belongs, or is sent. */
  readonly client: number;
  /** The document states what a control plane sends. */
  readonly isSent: boolean;
}

export interface FoundResources {
  readonly resources: readonly FoundResource[];
  readonly problems: readonly ReportProblem[];
  /**
   * The resources that delta responses of the document remove and that no later one has again. The type is empty if the response states
   * none.
   */
  readonly removals: readonly Pick<FoundResource, 'typeUrl' | 'name'>[];
  /** The types of the responses of the document that have no resources; empty for one that states none. */
  readonly emptyTypes: readonly string[];
  /** The document as a whole is one resource. */
  readonly isSingle: boolean;
}

/** An import shows these messages as rows, but they are not resources. */
const noResource = /^envoy\.(?:admin|config\.bootstrap)\./;

/** Reads every resource of a document at once, rejected configurations included. Nothing is redacted. */
export function readResources({ kinds, reports, problems: planned }: ReportPlan): FoundResources {
  const resources: FoundResource[] = [];
  const problems = [...planned];
  const seen = new Set<string>();
  const clients = clientsOf(reports);
  const elements = reports.flatMap((report, reportIndex) => {
    const of = { client: clients.get(report) ?? 0, isSent: report.side === 'control-plane' };
    return report.elements().map((element, index) => ({ element, of, at: [reportIndex, index] as const }));
  });
  /** The report and the element that has a resource last. */
  const last = new Map<string, readonly [number, number]>();
  for (const { element, of, at } of elements) {
    const { place = '' } = element;
    const read = element.read();
    problems.push(...read.problems);
    for (const message of read.messages) {
      const held = [message, ...(message.others ?? [])].map(({ xdsConfig }) => xdsConfig);
      for (const any of [...held, message.errorState?.failedConfiguration]) {
        const found = any && findResource(any, message.typeUrl, message.name, place);
        if (found === undefined || found === null) continue;
        const resource = { ...found, ...of };
        last.set(`${found.typeUrl} ${found.name}`, at);
        const key = `${of.client}\u0000${resource.typeUrl}\u0000${resource.name}`;
        // A bootstrap repeats resources that are already in the dump of their type.
        if (message.isStaticResource && seen.has(key)) continue;
        seen.add(key);
        resources.push(
          message.response === undefined ? resource : { ...resource, response: message.response },
        );
      }
    }
  }
  const isSingle = kinds.join() === 'resources' && resources.length === 1 && resources[0]?.place === '';
  const typeOf = ({ typeUrl }: { readonly typeUrl: string }) => typeUrl && normaliseTypeUrl(typeUrl);
  const removals = reports.flatMap((report, reportIndex) =>
    report.removals.flatMap(({ response, name, after }) => {
      const typeUrl = typeOf(response);
      const [ofReport, index] = last.get(`${typeUrl} ${name}`) ?? [-1, 0];
      const isSentAgain = ofReport === reportIndex ? index >= after : ofReport > reportIndex;
      return isSentAgain ? [] : [{ typeUrl, name }];
    }),
  );
  const emptyTypes = reports.flatMap((report) => report.emptyResponses.map(typeOf));
  return { resources, problems, isSingle, removals, emptyTypes };
}

/** Numbers the clients of a document. What a control plane sends in the scope of a client is of this client. */
function clientsOf(reports: readonly PlannedReport[]): Map<PlannedReport, number> {
  const clients = reports.filter(({ side }) => side !== 'control-plane');
  const numbers = new Map(clients.map((report, index) => [report, index]));
  const ofLabel = new Map(clients.map(({ label }, index) => [label, index] as const).reverse());
  let count = clients.length;
  for (const report of reports) {
    if (numbers.has(report)) continue;
    const number = ofLabel.get(report.label) ?? count++;
    ofLabel.set(report.label, number);
    numbers.set(report, number);
  }
  return numbers;
}

/** Returns undefined if the Any is empty, of an unknown type in JSON, or of a message that is not a resource. */
function findResource(
  any: AnyMessage,
  defaultTypeUrl: string | undefined,
  name: string | undefined,
  place: string,
): Omit<FoundResource, 'client' | 'isSent'> | undefined {
  const typeUrl = normaliseTypeUrl(any.type_url || defaultTypeUrl || '');
  if (typeUrl === '' || any.value === undefined || noResource.test(messageNameOf(typeUrl))) return undefined;
  const bytes = bytesOf(any);
  return { typeUrl, name: name || (peekResourceName(typeUrl, bytes) ?? ''), bytes, place };
}
