// `node tests/peers/envoy-answers/measure.mjs [COUNT]`: prints false verdicts beside a real Envoy. See tests/peers/README.md.
import { runProgram } from '../run-program.mjs';

await runProgram({ 'envoy-measure': 'tests/peers/envoy-answers/measure.ts' });
