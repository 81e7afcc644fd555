import type { FieldReader } from './field-reader';

/** Returns what each of `health_checks` of a cluster asks, as in "GET /healthz", in order. */
export function readHealthChecks(cluster: FieldReader): string[] {
  return cluster.objects('healthChecks').map((check) => {
    const http = check.object('httpHealthCheck');
    if (http !== undefined) return `${http.enumName('method', 'GET')} ${http.string('path')}`;
    const grpc = check.object('grpcHealthCheck');
    if (grpc !== undefined) return `grpc.health.v1.Health/Check ${grpc.string('serviceName')}`.trim();
    if (check.has('tcpHealthCheck')) return 'TCP';
    return check.object('customHealthCheck')?.string('name') ?? 'of an unknown kind';
  });
}
