import type { Step, Trace } from '@/lib/explain/trace';
import { jsonAt } from '@/lib/explain/trace-builder';
import { filterKinds } from './draw-filters';

/** Fewer pairs that see a part of the config would show little. */
const leastOfEach = 50;

const paths = ['prefix', 'path', 'safeRegex', 'pathSeparatedPrefix', 'pathMatchPolicy'];
const conditions = [
  'headers',
  'queryParameters',
  'cookies',
  'runtimeFraction',
  'grpc',
  'tlsContext',
  'dynamicMetadata',
];
const headers = [
  'stringMatch',
  'presentMatch',
  'rangeMatch',
  'exactMatch',
  'prefixMatch',
  'suffixMatch',
  'containsMatch',
  'safeRegexMatch',
  'invertMatch',
  'treatMissingHeaderAsEmpty',
];
const actions = [
  'cluster',
  'weightedClusters',
  'clusterHeader',
  'redirect',
  'directResponse',
  'metadataMatch',
  'prefixRewrite',
  'hostRewriteLiteral',
  'retryPolicy',
  'timeout',
  'requestMirrorPolicies',
  'hashPolicy',
];
const rules = [
  ...[
    'header',
    'urlPath',
    'uriTemplate',
    'destinationIp',
    'destinationPort',
    'destinationPortRange',
    'requestedServerName',
  ],
  ...['directRemoteIp', 'remoteIp', 'authenticated', 'metadata', 'sourcedMetadata', 'condition', 'exprMatch'],
  ...[
    'andRules',
    'orRules',
    'notRule',
    'andIds',
    'orIds',
    'notId',
    'rules',
    'shadowRules',
    'matcher',
    'shadowMatcher',
  ],
];
/** Parts of matcher trees, by their types. */
const matchers = [
  ...['HttpRequestHeaderMatchInput', 'DynamicMetadataInput', 'DnsSanInput', 'HttpAttributesCelMatchInput'],
  ...['ConsistentHashing', 'RuntimeFraction', 'Metadata'],
];
const managers = ['normalize_path', 'merge_slashes', 'the port', 'the last dot', 'escaped slashes'];

const expected: readonly string[] = [
  ...paths.map((each) => `path: ${each}`),
  ...conditions.map((each) => `condition: ${each}`),
  ...headers.map((each) => `header: ${each}`),
  ...actions.map((each) => `action: ${each}`),
  ...['exact', 'suffix', 'prefix', 'any'].map((each) => `domain: ${each}`),
  ...managers.map((each) => `manager: ${each}`),
  ...['scoped routes', 'matcher tree: Route', 'matcher tree: RouteList'],
  ...filterKinds.map((each) => `filter: ${each}`),
  ...rules.map((each) => `RBAC: ${each}`),
  ...matchers.map((each) => `RBAC matcher: ${each}`),
];

/** The number of pairs in which each part of a config decides something, or is considered. */
export class Coverage {
  readonly #counts = new Map<string, number>();
  readonly #expected: readonly string[];

  /** `unknown`: fields that the version does not have. */
  constructor(unknown: readonly string[]) {
    this.#expected = expected.filter((name) => !unknown.includes(name.split(': ')[1] ?? ''));
  }

  add(trace: Trace, listener: object): void {
    for (const name of new Set(trace.steps.flatMap((step) => partsOf(step, listener))))
      this.#counts.set(name, this.#countOf(name) + 1);
  }

  /** Returns true if the pair sees a part that too few pairs see so far. */
  needs(trace: Trace, listener: object): boolean {
    const rare = new Set(this.rare());
    return trace.steps.some((step) => partsOf(step, listener).some((name) => rare.has(name)));
  }

  /** The parts that too few pairs see so far. */
  rare(): string[] {
    return this.#expected.filter((name) => this.#countOf(name) < leastOfEach);
  }

  /** As in "path: prefix 1200". */
  list(names: readonly string[] = this.#expected): string {
    return names.map((name) => `${name} ${this.#countOf(name)}`).join(', ');
  }

  /** Throws if too few pairs see a part. */
  assertEnough(): void {
    const rare = this.rare();
    if (rare.length === 0) return;
    throw new Error(
      `expected ${leastOfEach} pairs or more with each part of a config, got ${this.list(rare)}`,
    );
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

function partsOf({ stage, verdict, title, reason, path }: Step, listener: object): string[] {
  switch (stage) {
    case 'connection-manager':
      return managers.filter((each) => reason.includes(each)).map((each) => `manager: ${each}`);
    case 'route-config':
      return verdict === 'taken' && reason.includes('scope') ? ['scoped routes'] : [];
    case 'virtual-host': {
      const domain = /^domain "([^"]*)"/.exec(reason)?.[1];
      return verdict === 'taken' && domain !== undefined ? [`domain: ${classOf(domain)}`] : [];
    }
    case 'route':
      if (title === 'matcher tree') {
        const type = String(keysAt(listener, path)['@type']).split('.').at(-1);
        return verdict === 'taken' ? [`matcher tree: ${type}`] : [];
      }
      return partsOfMatch(keysAt(keysAt(listener, routeOf(path)), 'match'));
    case 'action': {
      const route = keysAt(listener, routeOf(path));
      const own = { ...route, ...keysAt(route, 'route') };
      return actions.filter((each) => each in own).map((each) => `action: ${each}`);
    }
    case 'http-filter': {
      if (verdict === 'not-taken') return [];
      const kind = /^filter (\w+)/.exec(title)?.[1] ?? title;
      if (kind !== 'rbac') return [`filter: ${kind}`];
      const text = JSON.stringify(keysAt(listener, path));
      return [
        'filter: rbac',
        ...rules.filter((each) => text.includes(`"${each}":`)).map((each) => `RBAC: ${each}`),
        ...matchers.filter((each) => text.includes(`.${each}"`)).map((each) => `RBAC matcher: ${each}`),
      ];
    }
    default:
      return [];
  }
}

function classOf(domain: string): string {
  if (domain === '*') return 'any';
  return domain.startsWith('*') ? 'suffix' : domain.endsWith('*') ? 'prefix' : 'exact';
}

function partsOfMatch(match: Readonly<Record<string, unknown>>): string[] {
  const matchers = Array.isArray(match.headers) ? match.headers : [];
  const ofHeaders = matchers.flatMap((each: object) => Object.keys(each));
  return [
    ...paths.filter((each) => each in match).map((each) => `path: ${each}`),
    ...conditions.filter((each) => each in match).map((each) => `condition: ${each}`),
    ...headers.filter((each) => ofHeaders.includes(each)).map((each) => `header: ${each}`),
  ];
}

/** The path of the route that has the field at the path. */
function routeOf(path: string): string {
  return /^.*(?:\.routes\[\d+\])/.exec(path)?.[0] ?? path;
}

function keysAt(json: unknown, path: string): Readonly<Record<string, unknown>> {
  const value = jsonAt(json, path);
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
