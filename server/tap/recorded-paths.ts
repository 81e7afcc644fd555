import { type DiscoveryMethod, discoveryMethods } from '@/lib/xds/discovery-methods';

/** Load reports, by both names of the service; what they say is the same. */
const loadReportPaths: ReadonlySet<string> = new Set(
  ['v3', 'v2'].map((version) => `envoy.service.load_stats.${version}.LoadReportingService/StreamLoadStats`),
);

const methods: ReadonlyMap<string, DiscoveryMethod> = new Map(
  discoveryMethods.map((method) => [method.path, method]),
);

/** "package.Service/Method": does it belong to xDS? Everything else passes unrecorded. */
export function isRecordedPath(path: string): boolean {
  return methods.has(path) || loadReportPaths.has(path);
}

/** undefined: load reports. */
export function recordedMethod(path: string): DiscoveryMethod | undefined {
  return methods.get(path);
}
