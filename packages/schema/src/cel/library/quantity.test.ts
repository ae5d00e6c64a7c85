import { expect, it } from 'vitest';
import { compileExpression, kubernetesEnvironment } from '../index.ts';

function evaluate(text: string): unknown {
  const compiled = compileExpression(text, kubernetesEnvironment.written);
  if ('error' in compiled) throw new Error(compiled.error.message);
  const outcome = compiled.expression.evaluate({});
  return 'error' in outcome ? outcome.error : outcome.value;
}

it.each([
  ["quantity('1Ki') == quantity('1024')", true],
  ["quantity('0.5') == quantity('500m')", true],
  ["quantity('1e3') == quantity('1k')", true],
  ["quantity('1.5Gi').compareTo(quantity('1610612736'))", 0],
  ["quantity('-1').isLessThan(quantity('1n'))", true],
  ["quantity('2').add(1).sub(quantity('500m')).isInteger()", false],
  ["quantity('3').asInteger()", 3],
  ["['1', '+1', '1.', '.5', '.', 'm', '1E', '1Ei', '1e-3'].all(q, isQuantity(q))", true],
  ["['', '1x', '1ki', 'K', '1 ', '1ee3', '--1'].exists(q, isQuantity(q))", false],
])('%s is %s', (text, expected) => {
  expect(evaluate(text)).toBe(expected);
});
