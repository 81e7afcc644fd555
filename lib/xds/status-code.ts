/** Names of google.rpc.Code, which are also gRPC's, in numeric order. */
const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** "NOT_FOUND" for 5; the number itself if it is unknown. */
export function formatStatusCode(code: number): string {
  return names[code] ?? `code ${code}`;
}

const codesOfHttp: Readonly<Record<number, string>> = {
  ...{ 400: 'INTERNAL', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'UNIMPLEMENTED' },
  ...{ 429: 'UNAVAILABLE', 502: 'UNAVAILABLE', 503: 'UNAVAILABLE', 504: 'UNAVAILABLE' },
};

/** The gRPC code of an HTTP status, as gRPC clients and Envoy map it ("HTTP to gRPC Status Code Mapping"). */
export function codeOfHttpStatus(status: number): string {
  return codesOfHttp[status] ?? 'UNKNOWN';
}
