CREATE VIEW behavioral_rules AS
SELECT l.id, coalesce(r.rule_type, 'preference') AS rule_type, l.content AS description,
  r.poison AS skill_poison, r.fewshot_user, r.fewshot_assistant, r.source_exchange,
  l.worked / (l.worked + l.failed) AS confidence,
  CASE WHEN l.status = 'active' THEN 1 ELSE 0 END AS active, l.times_given AS times_applied,
  l.created_at, l.trigger AS situation, l.tenant, l.project, l.user_id, l.session
FROM lessons l
LEFT JOIN lesson_rules r ON r.lesson_id = l.id
WHERE l.kind IN ('rule', 'preference') AND l.source <> 'document' AND l.content <> '';

CREATE VIEW learning_examples AS
SELECT l.id, x.polarity, x.request AS user_message, x.reply AS assistant_message,
  l.worked / (l.worked + l.failed) AS confidence, l.times_given AS use_count, l.created_at,
  l.tenant, l.project, l.user_id, l.session
FROM lessons l
JOIN lesson_examples x ON x.lesson_id = l.id
WHERE l.content <> '';

-- A shell has foreign keys switched off, so the triggers delete what belongs to a lesson themselves.
CREATE TRIGGER behavioral_rule_added INSTEAD OF INSERT ON behavioral_rules
BEGIN
  SELECT RAISE(ABORT, 'a rule needs a description') WHERE trim(coalesce(new.description, '')) = '';
  SELECT RAISE(ABORT, 'leave the id out, one is made; or give 3 to 12 of 0-9 a-z without i, l, o, u')
  WHERE new.id IS NOT NULL
    AND (length(new.id) NOT BETWEEN 3 AND 12 OR new.id GLOB '*[^0-9a-hjkmnp-tv-z]*');
  INSERT INTO lesson_edits (lesson_id, key, deed, at)
  VALUES (coalesce(new.id, lower(hex(randomblob(6)))), -1, 'added',
    CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER));
  INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, trigger, content,
    worked, failed, source, trust, fingerprint, times_given, created_at, updated_at)
  SELECT e.lesson_id, -1 - abs(random() % 1152921504606846976), 'rule',
    CASE WHEN coalesce(new.active, 1) THEN 'active' ELSE 'suspended' END,
    coalesce(new.tenant, ''), coalesce(new.project, ''), coalesce(new.user_id, ''),
    coalesce(new.session, ''), coalesce(new.situation, ''), new.description,
    10 * min(1, max(0, coalesce(new.confidence, 0.9))),
    10 - 10 * min(1, max(0, coalesce(new.confidence, 0.9))), 'operator', 'operator',
    'view:' || e.lesson_id, coalesce(new.times_applied, 0), coalesce(new.created_at, e.at), e.at
  FROM lesson_edits e ORDER BY e.seq DESC LIMIT 1;
  INSERT INTO lesson_rules (lesson_id, rule_type, poison, fewshot_user, fewshot_assistant,
    source_exchange)
  SELECT e.lesson_id, coalesce(new.rule_type, 'preference'), new.skill_poison, new.fewshot_user,
    new.fewshot_assistant, new.source_exchange
  FROM lesson_edits e ORDER BY e.seq DESC LIMIT 1;
END;

CREATE TRIGGER behavioral_rule_changed INSTEAD OF UPDATE ON behavioral_rules
BEGIN
  SELECT RAISE(ABORT, 'the id of a rule cannot be changed') WHERE new.id IS NOT old.id;
  SELECT RAISE(ABORT, 'a rule needs a description') WHERE trim(coalesce(new.description, '')) = '';
  INSERT INTO lesson_edits (lesson_id, key, deed, at, before)
  SELECT id, key, 'changed', CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER),
    json_object('status', status, 'trigger', trigger, 'content', content, 'worked', worked,
      'failed', failed)
  FROM lessons WHERE id = old.id;
  UPDATE lessons SET
    status = CASE WHEN new.active IS old.active THEN status WHEN new.active THEN 'active'
      ELSE 'suspended' END,
    superseded_by = CASE WHEN new.active AND NOT old.active THEN NULL ELSE superseded_by END,
    content = new.description, trigger = coalesce(new.situation, ''),
    worked = CASE WHEN new.confidence IS old.confidence THEN worked
      ELSE (worked + failed) * min(1, max(0, coalesce(new.confidence, old.confidence))) END,
    failed = CASE WHEN new.confidence IS old.confidence THEN failed
      ELSE (worked + failed) * (1 - min(1, max(0, coalesce(new.confidence, old.confidence)))) END,
    times_given = coalesce(new.times_applied, 0), created_at = new.created_at,
    updated_at = CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), graphed = 0
  WHERE id = old.id;
  INSERT INTO lesson_rules (lesson_id, rule_type, poison, fewshot_user, fewshot_assistant,
    source_exchange)
  VALUES (old.id, new.rule_type, new.skill_poison, new.fewshot_user, new.fewshot_assistant,
    new.source_exchange)
  ON CONFLICT (lesson_id) DO UPDATE SET rule_type = excluded.rule_type, poison = excluded.poison,
    fewshot_user = excluded.fewshot_user, fewshot_assistant = excluded.fewshot_assistant,
    source_exchange = excluded.source_exchange;
END;

CREATE TRIGGER behavioral_rule_deleted INSTEAD OF DELETE ON behavioral_rules
BEGIN
  INSERT INTO lesson_edits (lesson_id, key, deed, at, before)
  SELECT id, key, CASE WHEN id = old.id THEN 'deleted' ELSE 'changed' END,
    CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER),
    json_object('status', status, 'trigger', trigger, 'content', content, 'worked', worked,
      'failed', failed)
  FROM lessons WHERE id = old.id OR (superseded_by = old.id AND status = 'superseded'
    AND kind IN ('rule', 'preference'));
  UPDATE lessons SET status = 'active'
  WHERE superseded_by = old.id AND status = 'superseded' AND kind IN ('rule', 'preference');
  UPDATE lessons SET superseded_by = NULL WHERE superseded_by = old.id;
  UPDATE corrections SET lesson_id = NULL, message = '', body = '' WHERE lesson_id = old.id;
  DELETE FROM rule_conflicts WHERE earlier_id = old.id OR later_id = old.id;
  DELETE FROM evidence WHERE lesson_id = old.id;
  DELETE FROM lesson_versions WHERE lesson_id = old.id;
  DELETE FROM lesson_rules WHERE lesson_id = old.id;
  DELETE FROM lessons WHERE id = old.id;
END;

CREATE TRIGGER learning_example_added INSTEAD OF INSERT ON learning_examples
BEGIN
  SELECT RAISE(ABORT, 'an example needs a user_message and an assistant_message')
  WHERE trim(coalesce(new.user_message, '')) = '' OR trim(coalesce(new.assistant_message, '')) = '';
  SELECT RAISE(ABORT, 'leave the id out, one is made; or give 3 to 12 of 0-9 a-z without i, l, o, u')
  WHERE new.id IS NOT NULL
    AND (length(new.id) NOT BETWEEN 3 AND 12 OR new.id GLOB '*[^0-9a-hjkmnp-tv-z]*');
  INSERT INTO lesson_edits (lesson_id, key, deed, at)
  VALUES (coalesce(new.id, lower(hex(randomblob(6)))), -1, 'added',
    CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER));
  INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, trigger, content,
    worked, failed, source, trust, fingerprint, times_given, created_at, updated_at)
  SELECT e.lesson_id, -1 - abs(random() % 1152921504606846976), 'example', 'active',
    coalesce(new.tenant, ''), coalesce(new.project, ''), coalesce(new.user_id, ''),
    coalesce(new.session, ''), new.user_message, new.assistant_message,
    10 * min(1, max(0, coalesce(new.confidence, 0.9))),
    10 - 10 * min(1, max(0, coalesce(new.confidence, 0.9))), 'operator', 'operator',
    'view:' || e.lesson_id, coalesce(new.use_count, 0), coalesce(new.created_at, e.at), e.at
  FROM lesson_edits e ORDER BY e.seq DESC LIMIT 1;
  INSERT INTO lesson_examples (lesson_id, polarity, request, reply)
  SELECT e.lesson_id, coalesce(new.polarity, 'positive'), new.user_message, new.assistant_message
  FROM lesson_edits e ORDER BY e.seq DESC LIMIT 1;
END;

CREATE TRIGGER learning_example_changed INSTEAD OF UPDATE ON learning_examples
BEGIN
  SELECT RAISE(ABORT, 'the id of an example cannot be changed') WHERE new.id IS NOT old.id;
  SELECT RAISE(ABORT, 'an example needs a user_message and an assistant_message')
  WHERE trim(coalesce(new.user_message, '')) = '' OR trim(coalesce(new.assistant_message, '')) = '';
  INSERT INTO lesson_edits (lesson_id, key, deed, at, before)
  SELECT id, key, 'changed', CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER),
    json_object('status', status, 'trigger', trigger, 'content', content, 'worked', worked,
      'failed', failed)
  FROM lessons WHERE id = old.id;
  UPDATE lessons SET trigger = new.user_message, content = new.assistant_message,
    worked = CASE WHEN new.confidence IS old.confidence THEN worked
      ELSE (worked + failed) * min(1, max(0, coalesce(new.confidence, old.confidence))) END,
    failed = CASE WHEN new.confidence IS old.confidence THEN failed
      ELSE (worked + failed) * (1 - min(1, max(0, coalesce(new.confidence, old.confidence)))) END,
    times_given = coalesce(new.use_count, 0),
    updated_at = CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)
  WHERE id = old.id;
  UPDATE lesson_examples SET polarity = new.polarity, request = new.user_message,
    reply = new.assistant_message
  WHERE lesson_id = old.id;
END;

CREATE TRIGGER learning_example_deleted INSTEAD OF DELETE ON learning_examples
BEGIN
  INSERT INTO lesson_edits (lesson_id, key, deed, at, before)
  SELECT id, key, 'deleted', CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER),
    json_object('status', status, 'trigger', trigger, 'content', content, 'worked', worked,
      'failed', failed)
  FROM lessons WHERE id = old.id;
  DELETE FROM evidence WHERE lesson_id = old.id;
  DELETE FROM lesson_versions WHERE lesson_id = old.id;
  DELETE FROM lesson_examples WHERE lesson_id = old.id;
  DELETE FROM lessons WHERE id = old.id;
END;
