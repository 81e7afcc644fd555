import type { FieldReader } from '../../model/field-reader';

/** The names of envoy.type.v3.StatusCode that filters are mostly configured with. */
const known: Readonly<Record<string, number>> = {
  ...{ OK: 200, BadRequest: 400, Unauthorized: 401, Forbidden: 403, NotFound: 404, TooManyRequests: 429 },
  ...{ InternalServerError: 500, BadGateway: 502, ServiceUnavailable: 503, GatewayTimeout: 504 },
};

/** The code of an envoy.type.v3.HttpStatus, whose JSON has the name or the number; `usual`: if it is unset or not known. */
export function statusOf(status: FieldReader | undefined, usual: number): number {
  const code = status?.json.code;
  return typeof code === 'number' ? code : (known[String(code)] ?? usual);
}
