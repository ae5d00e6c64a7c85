import type { CronJob } from '@coxswain/k8s';
import type { Schedule } from './schedule.ts';

/** What a CronJob has come to by now. Times are milliseconds since the epoch. */
export interface Due {
  /** The last time that has passed since the last start; absent: none has. */
  readonly last?: number;
  /** So many have passed that something is wrong: with the clock, or with the schedule. */
  readonly tooMany: boolean;
  /** When to look again. */
  readonly next?: number;
}

/** Beyond so many missed starts somebody is told. */
const many = 100;

/** From when on starts count: the last one, or the creation, or as far back as the deadline for starts reaches. */
function earliest({ metadata, spec, status }: CronJob, now: number): number {
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '') || now;
  const deadline = spec?.startingDeadlineSeconds;
  return deadline === undefined ? since : Math.max(since, now - deadline * 1000);
}

/** Which start of a CronJob is due. However many were missed, it is the last of them. */
export function dueStart(job: CronJob, schedule: Schedule, now: number): Due {
  const since = earliest(job, now);
  const after = (time: number) => {
    const next = schedule.next(time);
    return next === undefined ? {} : { next };
  };
  const first = schedule.next(since);
  if (first === undefined || first > now) return { tooMany: false, ...(first === undefined ? {} : { next: first }) };
  const second = schedule.next(first);
  if (second === undefined || second > now) return { last: first, tooMany: false, ...after(now) };
  // By the distance of two starts the rest is skipped; only the last of them are looked at one by one.
  const distance = second - first;
  const missed = Math.floor((now - first) / distance) + 1;
  let last: number | undefined;
  const from = first + (missed - 2) * distance;
  for (let time = schedule.next(from); time !== undefined && time <= now; time = schedule.next(time)) last = time;
  return { ...(last === undefined ? {} : { last }), tooMany: missed > many, ...after(now) };
}
