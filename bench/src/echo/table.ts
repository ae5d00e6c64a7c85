import { median } from '../stats.ts';
import type { Figure } from './result.ts';

const number = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

function cellOf(figure: Figure | undefined, unit: Figure['unit']): string {
  if (!figure) return '–';
  if (figure.values.length === 0) return figure.note ?? '–';
  const { values } = figure;
  const spread = values.length > 1 ? ` (${number(Math.min(...values))}–${number(Math.max(...values))})` : '';
  return `${number(median(values))}${unit ? ` ${unit}` : ''}${spread}`;
}

/** One table a scenario: a line for each measure, a column for each candidate; medians with their ranges. */
export function markdown(figures: readonly Figure[]): string {
  const groups = Map.groupBy(figures, ({ scenario, what }) => `${scenario}: ${what}`);
  return [...groups].map(([title, group]) => tableOf(title, group)).join('\n');
}

function tableOf(title: string, group: readonly Figure[]): string {
  const names = [...new Set(group.map(({ candidate }) => candidate))];
  const measured = group.filter(({ values }) => values.length > 0);
  const lines = [...Map.groupBy(measured, ({ measure }) => measure)].map(([measure, figures]) => [
    measure,
    ...names.map((name) =>
      cellOf(
        figures.find(({ candidate }) => candidate === name),
        figures[0]?.unit ?? '',
      ),
    ),
  ]);
  const notes = group.filter(({ note }) => note !== undefined).map(({ candidate, note }) => `${candidate}: ${note}\n`);
  const head = ['', ...names];
  const rows = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  return `### ${title}\n\n${rows}${notes.length > 0 ? `\n${notes.join('')}` : ''}`;
}
