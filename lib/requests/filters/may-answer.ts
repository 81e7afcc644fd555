/** HTTP filters of Envoy that can answer a request in place of a host, by the last parts of their types. */
const texts: Readonly<Record<string, string>> = {
  'adaptive_concurrency.v3.AdaptiveConcurrency': 'answers requests beyond its limit of concurrency with 503',
  'admission_control.v3.AdmissionControl': 'answers requests with 503 while too few succeed',
  'api_key_auth.v3.ApiKeyAuth': 'answers requests without a valid key with 401',
  'basic_auth.v3.BasicAuth': 'answers requests without a valid password with 401',
  'buffer.v3.Buffer': 'answers requests that are too large with 413',
  'csrf.v3.CsrfPolicy': 'answers requests of other origins with 403',
  'ext_proc.v3.ExternalProcessor': 'answers requests as its external service decides',
  'golang.v3alpha.Config': 'answers requests as its program decides',
  'health_check.v3.HealthCheck': 'answers health checks',
  'jwt_authn.v3.JwtAuthentication': 'answers requests without the JWT that its rules require with 401',
  'local_ratelimit.v3.LocalRateLimit': 'answers requests beyond its limit with 429',
  'lua.v3.Lua': 'answers requests as its script decides',
  'oauth2.v3.OAuth2': 'answers requests without a session with a redirect or 401',
  'rate_limit_quota.v3.RateLimitQuotaFilterConfig': 'answers requests beyond its quota with 429',
  'ratelimit.v3.RateLimit': 'answers requests that its external service limits with 429',
  'wasm.v3.Wasm': 'answers requests as its program decides',
};

/** As in "answers requests beyond its limit with 429"; undefined: the filter answers none, or is not known to. */
export function findAnswers(filter: {
  readonly typeName: string;
  readonly isDiscovered: boolean;
}): string | undefined {
  if (filter.isDiscovered)
    return 'has its config from ECDS, which is not reported; without one, Envoy answers every request with 500';
  return texts[filter.typeName.split('.filters.http.')[1] ?? ''];
}

const serving = /\.(?:ext_proc|golang|health_check|lua|oauth2|wasm)\.[^.]+\.\w+$/;

/** Returns true if requests that the filter answers need not fail. `answers`: by findAnswers(). */
export function mayServe({
  typeName,
  answers,
}: {
  readonly typeName: string;
  readonly answers?: string;
}): boolean {
  return answers !== undefined && (typeName === '' || serving.test(typeName));
}
