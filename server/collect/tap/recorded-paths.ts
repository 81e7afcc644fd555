import { type DiscoveryMethod, discoveryMethods } from '@/lib/xds/discovery-methods';

/** The paths of load reports, whose messages are the same in v2 and v3. */
const loadReportPaths: ReadonlySet<string> = new Set(
  ['v3', 'v2'].map((version) => `envoy.service.load_stats.${version}.LoadReportingService/StreamLoadStats`),
);

const methods: ReadonlyMap<string, DiscoveryMethod> = new Map(
  discoveryMethods.map((method) => [method.path, method]),
);

/** Returns whether a method ("package.Service/Method") is recorded. Other calls are relayed only. */
export function isRecordedPath(path: string): boolean {
  return methods.has(path) || loadReportPaths.has(path);
}

/** Returns undefined for load reports. */
export function recordedMethod(path: string): DiscoveryMethod | undefined {
  return methods.get(path);
}
