// `node tests/peers/envoy-answers/run.mjs [CASES]`: writes tests/fixtures/envoy-answers. See tests/peers/README.md.
import { runProgram } from '../run-program.mjs';

await runProgram({ 'envoy-answers': 'tests/peers/envoy-answers/collect.ts' });
